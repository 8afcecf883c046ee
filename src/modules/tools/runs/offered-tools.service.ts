import { Injectable } from '@nestjs/common';
import type { KeyActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { MINUTE_MS } from '../../../kernel/spans.js';
import { Database } from '../../../platform/database/database.js';
import { CompiledTools } from '../definitions/compiled-tools.js';
import { ToolRepository } from '../definitions/tool.repository.js';
import type { ToolRunResult } from '../tools.port.js';
import { CheckedInputs } from './checked-inputs.js';
import { resultOf, ToolRuns } from './tool-runs.service.js';

const PAGE = 50;
/** A page ends after this much text, because the schema of one tool may be long. */
const PAGE_CHARACTERS = 1_000_000;
const TIMEOUT_MS = MINUTE_MS;

export interface OfferedTool {
  name: string;
  description: string;
  inputSchema: object;
}

/** Offers the deployed tools of a project to programs that call tools by name. */
@Injectable()
export class OfferedTools {
  constructor(
    private readonly database: Database,
    private readonly tools: ToolRepository,
    private readonly compiled: CompiledTools,
    private readonly inputs: CheckedInputs,
    private readonly runs: ToolRuns,
  ) {}

  /** Returns the tools after the one with the cursor's id, oldest first. */
  async page(projectId: Id<'project'>, cursor: string | undefined) {
    const rows = await this.database.ask(this.tools.offeredAfter(projectId, cursor ?? '', PAGE + 1));
    const tools: OfferedTool[] = [];
    let characters = 0;
    for (const { name, versionId } of rows.slice(0, PAGE)) {
      const { description, inputSchema } = (await this.compiled.of(versionId)).tool;
      tools.push({ name, description, inputSchema });
      characters += JSON.stringify(inputSchema).length;
      if (characters > PAGE_CHARACTERS) break;
    }
    const hasMore = tools.length < rows.length;
    return { tools, nextCursor: hasMore ? rows[tools.length - 1]!.id : null };
  }

  /** Runs the tool, and waits until its run has ended or is suspended. Returns null if no tool has this name. */
  async call(actor: KeyActor, name: string, input: unknown, signal: AbortSignal): Promise<ToolRunResult | null> {
    const found = await this.database.ask(this.tools.offeredAs(actor.projectId, name));
    if (!found) return null;
    const request = { input, timeoutMs: TIMEOUT_MS };
    const runId = await this.inputs.begin(
      actor.projectId,
      (checked) => this.runs.start(actor, found.id, request, checked),
      signal,
    );
    return resultOf(await this.runs.ended(runId, TIMEOUT_MS, signal));
  }
}
