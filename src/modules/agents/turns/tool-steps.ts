import { Injectable } from '@nestjs/common';
import { SYSTEM } from '../../../kernel/actor.js';
import { clock } from '../../../kernel/clock.js';
import { SlipwayError } from '../../../kernel/errors.js';
import { type Id, idOfNames } from '../../../kernel/ids.js';
import { shortened } from '../../../kernel/shortened.js';
import { Database } from '../../../platform/database/database.js';
import type { ModelRequest } from '../../gateway/gateway.port.js';
import { McpFailure } from '../../mcp-connections/mcp-connections.port.js';
import { SessionMemory } from '../../sessions/memory/session-memory.service.js';
import { type CallableTool, ToolRuns } from '../../tools/runs/tool-runs.service.js';
import { TracesService } from '../../traces/traces.service.js';
import { AgentRunRepository } from '../runs/agent-run.repository.js';
import { attributesOf, McpSteps, type McpTarget } from './mcp-steps.js';
import { inputOf, type ToolCall, type ToolStep } from './steps.js';
import { mediaIn } from './tool-media.js';
import type { TurnAtWork } from './turn.js';
import { UserTokens } from '../sign-in/user-tokens.service.js';

type OfferedTool = NonNullable<ModelRequest['tools']>[number];

/** The name under which tool runs record that a turn called them. */
export const CALLER = 'agents';

/** Longer outputs are cut, because a model makes no use of more. */
const MAX_OUTPUT = 100_000;

/** Runs the agent's tools, once for each tool call that the model makes. */
@Injectable()
export class ToolSteps {
  constructor(
    private readonly tools: ToolRuns,
    private readonly database: Database,
    private readonly memory: SessionMemory,
    private readonly runs: AgentRunRepository,
    private readonly traces: TracesService,
    private readonly userTokens: UserTokens,
    private readonly mcp: McpSteps,
  ) {}

  async offered(turn: TurnAtWork): Promise<OfferedTool[]> {
    const own = await this.callable(turn);
    const names = own.map(({ name }) => name);
    return [...own, ...(await this.mcp.offered(turn, names))].map(({ name, description, inputSchema }) => {
      return { type: 'function', name, description, inputSchema };
    });
  }

  /** Returns until when the turn has to be suspended if the tool waits for something, and otherwise null. */
  async call(turn: TurnAtWork, call: ToolCall, step: number): Promise<Date | null> {
    const startedAt = clock.now();
    const result = await this.run(turn, call, step);
    if ('until' in result) return result.until;
    await this.keep(turn, call, step, result, startedAt);
    return null;
  }

  private async run(turn: TurnAtWork, call: ToolCall, step: number): Promise<ToolResult | { until: Date }> {
    const callable = await this.callable(turn);
    const tool = callable.find(({ name }) => name === call.name);
    const names = callable.map(({ name }) => name);
    const target = tool ? undefined : await this.mcp.find(turn, names, call.name);
    if (!tool && !target) return failed('There is no tool with this name.');
    const input = inputOf(call.arguments);
    if (input === undefined)
      return failed('The arguments are not a JSON object. Call the tool again with a JSON object as its arguments.');
    try {
      return tool ? await this.runTool(turn, tool, input, step) : await this.callServer(turn, target!, input, step);
    } catch (error) {
      turn.signal.throwIfAborted();
      if (error instanceof McpFailure) return failed(`${error.reason}: ${error.message}`, target);
      if (error instanceof SlipwayError) return failed(error.message);
      throw error;
    }
  }

  private callable({ run, version }: TurnAtWork): Promise<CallableTool[]> | CallableTool[] {
    return version.toolIds.length === 0 ? [] : this.tools.callable(run.projectId, version.toolIds);
  }

  private async callServer(turn: TurnAtWork, target: McpTarget, input: object, step: number): Promise<ToolResult> {
    const { text } = await this.mcp.call(turn, target, input, `${turn.run.id}:${step}`);
    return { output: shortened(text, MAX_OUTPUT), isError: false, media: [], target };
  }

  private async runTool(
    { run, signal }: TurnAtWork,
    tool: CallableTool,
    input: object,
    step: number,
  ): Promise<ToolResult | { until: Date }> {
    const result = await this.tools.run({
      projectId: run.projectId,
      toolId: tool.id,
      input,
      // A process that repeats the step after a crash finds the run of the first attempt by this key.
      idempotencyKey: `${run.id}:${step}`,
      caller: { name: CALLER, ref: run.id },
      environment: run.environment,
      sessionId: run.sessionId,
      traceId: run.traceId,
      parentObservationId: spanOf(run.id, step),
      userTokens: await this.userTokens.of(run.appId, run.userId, tool.authProfiles),
      signal,
    });
    if (result.status === 'suspended') return { until: result.until };
    if (result.status === 'failed') return failed(`${result.error.code}: ${result.error.message}`);
    const text = typeof result.output === 'string' ? result.output : JSON.stringify(result.output ?? null);
    return { output: shortened(text, MAX_OUTPUT), isError: false, media: mediaIn(result.output) };
  }

  private async keep(
    { run }: TurnAtWork,
    call: ToolCall,
    step: number,
    { output, isError, media, target }: ToolResult,
    startedAt: Date,
  ): Promise<void> {
    const toolStep: ToolStep = { callId: call.id, name: call.name, output, isError, media };
    await this.database.transaction(SYSTEM, async (tx) => {
      const content = JSON.stringify(toolStep);
      tx.defer(this.memory.remember(run.sessionId, { turn: run.number, step, kind: 'tool', content }));
      if (!(await tx.ask(this.runs.addToolCall(run.id)))) return;
      await this.traces.write(tx, run.projectId, run.appId, [
        {
          id: spanOf(run.id, step),
          traceId: run.traceId,
          parentId: run.observationId,
          sessionId: run.sessionId,
          name: call.name,
          startedAt: startedAt.toISOString(),
          endedAt: clock.now().toISOString(),
          status: isError ? 'failed' : 'success',
          statusMessage: isError ? shortened(output, 1_000) : '',
          input: call.arguments,
          output,
          attributes: JSON.stringify(target ? attributesOf(target) : {}),
          generation: null,
        },
      ]);
    });
  }
}

type ToolResult = Required<Pick<ToolStep, 'output' | 'isError' | 'media'>> & { target?: McpTarget | undefined };

function failed(output: string, target?: McpTarget): ToolResult {
  return { output, isError: true, media: [], target };
}

function spanOf(runId: Id<'agentRun'>, step: number): Id<'observation'> {
  return idOfNames('observation', runId, String(step));
}
