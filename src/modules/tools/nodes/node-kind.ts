import type { Id } from '../../../kernel/ids.js';
import type { NodeOf, NodeType } from '../documents/documents.schema.js';
import type { JsonText } from '../../../kernel/json-text.js';
import type { ComputeBudget } from '../../../platform/compute/compute-task.js';
import type { Scope } from '../../../platform/template/scope.js';

/** For whom a node runs, and what it may use. */
export interface NodeContext {
  readonly projectId: Id<'project'>;
  readonly toolId: Id<'tool'>;
  readonly runId: Id<'toolRun'>;
  readonly environment: string | null;
  readonly sessionId: string | null;
  readonly traceId: Id<'trace'> | null;
  /** Within what its own observations are. */
  readonly observationId: Id<'observation'>;
  /** What templates see: input, nodes, errors, env, run, callback, tokens. */
  readonly variables: Scope;
  /** The output of the node before. */
  readonly before: JsonText;
  readonly signal: AbortSignal;
  /** What the run may still compute. */
  readonly budget: ComputeBudget;
  /** Takes the run’s secrets out of what is kept elsewhere than in its own record. */
  readonly mask: (value: unknown) => Promise<unknown>;
}

export interface NodeOutcome {
  /** What it did, for the record; its secrets are masked there. */
  readonly input?: unknown;
  readonly output: JsonText;
  /** Of a condition: where the run goes on. */
  readonly way?: 'true' | 'false';
}

/** A node that came to nothing, and why, for people. */
export class NodeFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** Whether the same may go well a moment later. */
    readonly isTransient = false,
    /** What it did, as far as it came. */
    readonly input?: unknown,
  ) {
    super(message);
    this.name = 'NodeFailure';
  }
}

/** Runs one type of node. Another type is another file, and a line in `node-kinds.ts`. */
export abstract class NodeKind<T extends NodeType> {
  /** Whether it does nothing but reckon: then its result need not be kept before the next node begins. */
  readonly isPure: boolean = false;

  abstract run(node: NodeOf<T>, context: NodeContext): Promise<NodeOutcome>;
}
