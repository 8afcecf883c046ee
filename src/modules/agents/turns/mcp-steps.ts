import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SYSTEM } from '../../../kernel/actor.js';
import { clock } from '../../../kernel/clock.js';
import { idOfNames, toId } from '../../../kernel/ids.js';
import { Database } from '../../../platform/database/database.js';
import type { McpConnection } from '../../mcp-connections/mcp-connection.entity.js';
import { McpFailure, type McpResult, type McpTool } from '../../mcp-connections/mcp-connections.port.js';
import { McpTools } from '../../mcp-connections/mcp-tools.service.js';
import { TracesService } from '../../traces/traces.service.js';
import { AgentRunRepository } from '../runs/agent-run.repository.js';
import { UserTokens } from '../sign-in/user-tokens.service.js';
import type { TurnAtWork } from './turn.js';

/** The most tools of one call of a model. Providers refuse more. */
const MAX_OFFERED = 128;
const MAX_NAME = 64;
const DIGEST_CHARACTERS = 6;

/** A tool of a server, which the model knows under another name if it has to. */
export interface McpTarget extends McpTool {
  connection: McpConnection;
  toolName: string;
}

/** Returns the attributes that the trace has of the call of a tool, besides its name. */
export function attributesOf({ connection, toolName }: McpTarget): object {
  return { 'slipway.mcp.connection.id': connection.id, 'mcp.tool.name': toolName };
}

/** Offers the tools of MCP servers in turns, and calls them. */
@Injectable()
export class McpSteps {
  /**
   * The tools that the model was offered last. A call goes to the server whose tool the model chose, even if another server has
   * taken the name since.
   */
  private readonly offers = new WeakMap<TurnAtWork, readonly McpTarget[]>();

  constructor(
    private readonly mcp: McpTools,
    private readonly userTokens: UserTokens,
    private readonly database: Database,
    private readonly runs: AgentRunRepository,
    private readonly traces: TracesService,
  ) {}

  /** Returns the tools of the agent's servers. A server that cannot be asked is left out, and the trace says why. */
  async offered(turn: TurnAtWork, taken: readonly string[]): Promise<readonly McpTarget[]> {
    const { run, version, signal } = turn;
    const ids = version.mcpConnectionIds.map((id) => toId('mcpConnection', id));
    const connections = await this.mcp.active(run.projectId, ids);
    const listed = await Promise.all(
      connections.map(async (connection) => {
        const startedAt = clock.now();
        const userTokens = await this.tokensFor(turn, connection);
        try {
          const { tools } = await this.mcp.offered(connection, { userTokens, signal });
          return tools.map((tool) => ({ ...tool, connection, toolName: tool.name }));
        } catch (error) {
          if (!(error instanceof McpFailure)) throw error;
          await this.note(turn, connection, error, startedAt);
          return [];
        }
      }),
    );
    const offered = named(listed.flat(), taken).slice(0, Math.max(0, MAX_OFFERED - taken.length));
    this.offers.set(turn, offered);
    return offered;
  }

  /** Finds the tool that the model calls. A process that continues a turn asks the servers again. */
  async find(turn: TurnAtWork, taken: readonly string[], name: string): Promise<McpTarget | undefined> {
    const offered = this.offers.get(turn) ?? (await this.offered(turn, taken));
    return offered.find((tool) => tool.name === name);
  }

  async call(turn: TurnAtWork, target: McpTarget, input: object, idempotencyKey: string): Promise<McpResult> {
    const { run, signal } = turn;
    const { connection, toolName: tool } = target;
    const userTokens = await this.tokensFor(turn, connection);
    const caller = { conversation: run.sessionId, userTokens, signal };
    return this.mcp.call(connection, { ...caller, tool, input, idempotencyKey });
  }

  private tokensFor({ run }: TurnAtWork, { authProfile }: McpConnection): Promise<Record<string, string>> {
    return this.userTokens.of(run.appId, run.userId, authProfile === null ? [] : [authProfile]);
  }

  /** Writes the failure into the trace, once for each turn, unless the session has been erased meanwhile. */
  private async note(
    { run }: TurnAtWork,
    { id, name }: McpConnection,
    { reason, message }: McpFailure,
    startedAt: Date,
  ): Promise<void> {
    const sentence = `${reason}: ${message}`;
    await this.database.transaction(SYSTEM, async (tx) => {
      if (!(await tx.ask(this.runs.lock(run.id)))) return;
      await this.traces.write(tx, run.projectId, run.appId, [
        {
          id: idOfNames('observation', run.id, id),
          traceId: run.traceId,
          parentId: run.observationId,
          sessionId: run.sessionId,
          name: `tools of ${name}`,
          startedAt: startedAt.toISOString(),
          endedAt: clock.now().toISOString(),
          status: 'failed',
          statusMessage: sentence,
          input: null,
          // The details of a session show the outputs of observations, and no statuses.
          output: sentence,
          attributes: JSON.stringify({ 'slipway.mcp.connection.id': id }),
          generation: null,
        },
      ]);
    });
  }
}

/** Gives each tool a name that models can call, and that no other tool has. */
function named(tools: readonly McpTarget[], taken: readonly string[]): McpTarget[] {
  const names = new Set(taken);
  return tools.map((tool) => {
    const simple = tool.toolName.replace(/[^A-Za-z0-9_-]/g, '_').replace(/^(?=[^A-Za-z_])/, '_');
    const isFree = simple.length <= MAX_NAME && !names.has(simple);
    const name = isFree ? simple : withDigest(simple, tool);
    names.add(name);
    return { ...tool, name };
  });
}

function withDigest(name: string, { connection, toolName }: McpTarget): string {
  const digest = createHash('sha256').update(`${connection.id} ${toolName}`).digest('hex').slice(0, DIGEST_CHARACTERS);
  return `${name.slice(0, MAX_NAME - DIGEST_CHARACTERS - 1)}_${digest}`;
}
