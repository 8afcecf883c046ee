import { clock } from '../../../kernel/clock.js';
import { type Id, idOfNames } from '../../../kernel/ids.js';
import { defineSealed } from '../../../platform/crypto/sealed-column.js';
import type { Vault } from '../../../platform/crypto/vault.js';
import type { CompiledFlow, CompiledTool } from '../definitions/compiled-tools.js';
import type { FlowNode } from '../documents/node-schemas.js';
import { Mask } from './masking.js';
import { JsonText } from '../../../kernel/json-text.js';
import { MINUTE_MS } from '../../../kernel/spans.js';
import { ComputeBudget } from '../../../platform/compute/compute-task.js';
import type { NodeContext } from '../node-kind.port.js';
import type { UnsealedSuspension } from '../callbacks/suspensions.js';
import type { ToolRunRow, ToolRunStepRow } from './tool-run.entity.js';
import type { RunError } from '../tools.port.js';

const outputColumn = defineSealed({ table: 'tool_run_step', column: 'output_sealed' });

/** The limit of a run's computing time, in all processes that drive it together. */
const MAX_COMPUTE_MS = MINUTE_MS;

/** A step that is done. `shown` is its output with masked secrets. */
export interface DoneStep {
  input: string | null;
  output: JsonText;
  shown: JsonText;
  way?: 'true' | 'false' | undefined;
  until?: Date | undefined;
}

export function observationOf(runId: Id<'toolRun'>): Id<'observation'> {
  return idOfNames('observation', 'tool run', runId);
}

/** The position of a run in its flow, and the outputs of its nodes so far. */
export class RunWalk {
  readonly flow: CompiledFlow;
  readonly mask: Mask;
  readonly budget: ComputeBudget;
  /** The steps that are done and not yet committed. */
  readonly unkept: ToolRunStepRow[] = [];
  at: FlowNode | null;
  stepsDone = 0;
  waitsDone = 0;
  /** The recorded inputs and outputs of its steps, in characters. */
  charactersKept = 0;
  private readonly input: JsonText;
  private readonly nodes: Record<string, JsonText> = {};
  private readonly errors: Record<string, JsonText> = {};
  private before: JsonText;
  private shown: JsonText;
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
    this.input = JsonText.parsed(run.input);
    this.before = this.input;
    this.shown = this.input;
    this.budget = new ComputeBudget(MAX_COMPUTE_MS, run.computedMs);
  }

  /** Repeats the effect of a committed step on the position, when a process continues the run. */
  replay(step: ToolRunStepRow): void {
    const { nodeId, status, way, errorCode, errorMessage } = step;
    const json = step.outputSealed === null ? step.output : this.vault.open(step.outputSealed, outputColumn, step.id);
    if (this.flow.waits.has(nodeId)) this.waitsDone += 1;
    this.stepsDone += 1;
    if (status === 'failed') this.advanceAfterError(nodeId, { code: errorCode!, message: errorMessage! });
    else this.advance(nodeId, JsonText.parsed(json ?? 'null'), JsonText.parsed(step.output ?? 'null'), way);
    this.count(step);
  }

  completed(node: FlowNode, startedAt: Date, { input, output, shown, way, until }: DoneStep): void {
    const step = this.newStep(node, startedAt, input);
    const isSecret = shown !== output;
    this.add({
      ...step,
      status: 'completed',
      endedAt: until ?? step.endedAt,
      way: way ?? null,
      output: shown.text,
      outputSealed: isSecret ? this.vault.seal(output.text, outputColumn, step.id) : null,
    });
    if (this.flow.waits.has(node.id)) this.waitsDone += 1;
    this.advance(node.id, output, shown, way ?? null);
  }

  /** Records a failed step. Returns whether the flow has an edge for the error, so that the run continues. */
  failed(node: FlowNode, startedAt: Date, error: RunError, input: string | null): boolean {
    const step = this.newStep(node, startedAt, input);
    this.add({ ...step, status: 'failed', errorCode: error.code, errorMessage: error.message });
    if (this.flow.waits.has(node.id)) this.waitsDone += 1;
    return this.advanceAfterError(node.id, error);
  }

  /** Gives the address and the secret of the next callback to the nodes before the wait node. */
  expects({ id, secret }: UnsealedSuspension, origin: string): void {
    this.mask.add(secret);
    this.callback = { url: `${origin}/api/v1/callbacks/${id}`, secret };
  }

  /** `obtained` takes the secrets that the node obtains, which are among those of the run from then on. */
  context(signal: AbortSignal, mask: NodeContext['mask'], obtained: Mask): NodeContext {
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
      mask,
      hide: (secret) => {
        obtained.add(secret);
        this.mask.add(secret);
      },
      signal,
      budget: this.budget,
      variables: {
        input: this.input,
        nodes: this.nodes,
        errors: this.errors,
        env: this.tool.env,
        tokens: JsonText.of(this.tokens),
        run: JsonText.of({
          id,
          startedAt: createdAt.toISOString(),
          idempotencyKey: `${id}:${this.stepsDone + 1}`,
        }),
        ...(this.callback && { callback: JsonText.of(this.callback) }),
      },
    };
  }

  /** The masked output of the run, when it has reached an end node. */
  get result(): JsonText {
    return this.shown;
  }

  private advance(nodeId: string, output: JsonText, shown: JsonText, way: string | null): void {
    this.nodes[nodeId] = output;
    this.before = output;
    this.shown = shown;
    const nextNodes = this.flow.nextNodes.get(nodeId);
    this.moveTo(way === 'true' || way === 'false' ? nextNodes?.[way] : nextNodes?.next);
  }

  private advanceAfterError(nodeId: string, error: RunError): boolean {
    this.errors[nodeId] = JsonText.of(error);
    const next = this.flow.nextNodes.get(nodeId)?.error;
    this.moveTo(next);
    return next !== undefined;
  }

  private moveTo(nodeId: string | undefined): void {
    this.at = nodeId === undefined ? null : this.flow.nodes.get(nodeId)!;
  }

  private add(step: ToolRunStepRow): void {
    this.unkept.push(step);
    this.count(step);
  }

  private count({ input, output, outputSealed }: ToolRunStepRow): void {
    for (const text of [input, output, outputSealed]) this.charactersKept += text?.length ?? 0;
  }

  private newStep({ id: nodeId, type }: FlowNode, startedAt: Date, input: string | null): ToolRunStepRow {
    this.stepsDone += 1;
    return {
      id: `${this.run.id}:${this.stepsDone}`,
      runId: this.run.id,
      step: this.stepsDone,
      nodeId,
      type,
      status: 'completed',
      way: null,
      input,
      output: null,
      outputSealed: null,
      errorCode: null,
      errorMessage: null,
      startedAt,
      endedAt: clock.now(),
    };
  }
}
