import { clock } from '../../../kernel/clock.js';
import { type Id, idOfNames } from '../../../kernel/ids.js';
import { defineSealed } from '../../../platform/crypto/sealed-column.js';
import type { Vault } from '../../../platform/crypto/vault.js';
import type { CompiledFlow, CompiledTool } from '../definitions/compiled-tools.js';
import type { FlowNode } from '../documents/documents.schema.js';
import { Mask } from './masking.js';
import type { NodeContext, NodeOutcome } from '../nodes/node-kind.js';
import type { UnsealedSuspension } from '../callbacks/suspensions.js';
import type { ToolRunRow, ToolRunStepRow } from './tool-run.entity.js';
import type { RunError } from '../tools.port.js';

const outputColumn = defineSealed({ table: 'tool_run_step', column: 'output_sealed' });

/** What is recorded of one node's input and output is for reading. */
const MAX_RECORDED = 1024 * 1024;

export function observationOf(runId: Id<'toolRun'>): Id<'observation'> {
  return idOfNames('observation', 'tool run', runId);
}

/** How far a run has come: what its nodes gave, and where it goes on. */
export class RunWalk {
  readonly flow: CompiledFlow;
  readonly mask: Mask;
  /** Steps that are done and not yet kept. */
  readonly unkept: ToolRunStepRow[] = [];
  at: FlowNode | null;
  stepsDone = 0;
  waitsDone = 0;
  private readonly nodes: Record<string, unknown> = {};
  private readonly errors: Record<string, RunError> = {};
  private before: unknown;
  private callback: { url: string; secret: string } | undefined;

  constructor(
    readonly run: ToolRunRow,
    readonly tool: CompiledTool,
    private readonly tokens: Record<string, string>,
    private readonly vault: Vault,
  ) {
    this.flow = tool.flows.find(({ id }) => id === run.callflowId)!;
    this.mask = new Mask([...tool.secrets, ...Object.values(tokens)]);
    this.at = this.flow.nodes.get(this.flow.start)!;
    this.before = JSON.parse(run.input);
  }

  /** A step that was kept, as the run goes on. */
  replay(step: ToolRunStepRow): void {
    const { nodeId, type, status, way, errorCode, errorMessage } = step;
    const json = step.outputSealed === null ? step.output : this.vault.open(step.outputSealed, outputColumn, step.id);
    if (type === 'wait') this.waitsDone += 1;
    this.stepsDone += 1;
    if (status === 'failed') this.goOnAfterError(nodeId, { code: errorCode!, message: errorMessage! });
    else this.goOn(nodeId, json === null ? null : (JSON.parse(json) as unknown), way);
  }

  completed(node: FlowNode, startedAt: Date, { input, output, way }: NodeOutcome): void {
    const step = this.newStep(node, startedAt, input);
    const masked = this.mask.of(output);
    const isSecret = masked !== output;
    this.unkept.push({
      ...step,
      status: 'completed',
      way: way ?? null,
      output: JSON.stringify(masked ?? null),
      outputSealed: isSecret ? this.vault.seal(JSON.stringify(output), outputColumn, step.id) : null,
    });
    if (node.type === 'wait') this.waitsDone += 1;
    this.goOn(node.id, output ?? null, way ?? null);
  }

  /** True where the flow goes on from a failed node. */
  failed(node: FlowNode, startedAt: Date, error: RunError, input: unknown): boolean {
    const step = this.newStep(node, startedAt, input);
    const told = { code: error.code, message: this.mask.ofText(error.message) };
    this.unkept.push({ ...step, status: 'failed', errorCode: told.code, errorMessage: told.message });
    if (node.type === 'wait') this.waitsDone += 1;
    return this.goOnAfterError(node.id, told);
  }

  /** What the nodes before the next wait see of it. */
  expects({ id, secret }: UnsealedSuspension, origin: string): void {
    this.mask.add(secret);
    this.callback = { url: `${origin}/api/v1/callbacks/${id}`, secret };
  }

  context(signal: AbortSignal): NodeContext {
    const { id, projectId, toolId, environment, sessionId, traceId, createdAt } = this.run;
    return {
      projectId,
      toolId,
      runId: id,
      environment,
      sessionId,
      traceId,
      observationId: observationOf(id),
      before: this.before,
      mask: this.mask,
      signal,
      variables: {
        input: JSON.parse(this.run.input) as unknown,
        nodes: this.nodes,
        errors: this.errors,
        env: this.tool.env,
        tokens: this.tokens,
        run: { id, startedAt: createdAt.toISOString(), idempotencyKey: `${id}:${this.stepsDone + 1}` },
        ...(this.callback && { callback: this.callback }),
      },
    };
  }

  /** What the run comes to, once it stands at its end. */
  get result(): unknown {
    return this.mask.of(this.before);
  }

  private goOn(nodeId: string, output: unknown, way: string | null): void {
    this.nodes[nodeId] = output;
    this.before = output;
    const ways = this.flow.ways.get(nodeId);
    this.moveTo(way === 'true' || way === 'false' ? ways?.[way] : ways?.next);
  }

  private goOnAfterError(nodeId: string, error: RunError): boolean {
    this.errors[nodeId] = error;
    const next = this.flow.ways.get(nodeId)?.error;
    this.moveTo(next);
    return next !== undefined;
  }

  private moveTo(nodeId: string | undefined): void {
    this.at = nodeId === undefined ? null : this.flow.nodes.get(nodeId)!;
  }

  private newStep({ id: nodeId, type }: FlowNode, startedAt: Date, input: unknown): ToolRunStepRow {
    this.stepsDone += 1;
    const recorded = input === undefined ? null : JSON.stringify(this.mask.of(input));
    return {
      id: `${this.run.id}:${this.stepsDone}`,
      runId: this.run.id,
      step: this.stepsDone,
      nodeId,
      type,
      status: 'completed',
      way: null,
      input: recorded !== null && recorded.length > MAX_RECORDED ? null : recorded,
      output: null,
      outputSealed: null,
      errorCode: null,
      errorMessage: null,
      startedAt,
      endedAt: clock.now(),
    };
  }
}
