import type { z } from 'zod';
import type { Id } from '../../kernel/ids.js';
import type { JsonText } from '../../kernel/json-text.js';
import type { ComputeBudget } from '../../platform/compute/compute-task.js';
import { NamedMark } from '../../platform/extension/named-mark.js';
import type { Scope } from '../../platform/template/scope.js';

/** The run to which a node belongs, and what the node may use. */
export interface NodeContext {
  readonly projectId: Id<'project'>;
  readonly toolId: Id<'tool'>;
  readonly runId: Id<'toolRun'>;
  readonly environment: string | null;
  readonly sessionId: string | null;
  readonly traceId: Id<'trace'> | null;
  /** The observation of the run, which contains those of its nodes. */
  readonly observationId: Id<'observation'>;
  /** The variables of templates: input, nodes, errors, env, run, callback and tokens. */
  readonly variables: Scope;
  /** The output of the node before this one. */
  readonly before: JsonText;
  readonly signal: AbortSignal;
  /** The computing time that the run has left. */
  readonly budget: ComputeBudget;
  /** Masks the run's secrets in what other modules keep, such as the prompt of a model call. */
  readonly mask: (value: unknown) => Promise<unknown>;
  /** Counts a text that a node has obtained, such as an access token, among the run's secrets. */
  readonly hide: (secret: string) => void;
}

export interface NodeOutcome {
  /** The work of the node, such as the request that it sent. Its secrets are masked before it is recorded. */
  readonly input?: unknown;
  readonly output: JsonText;
  /** The outcome of a condition, which decides the edge that the run takes. */
  readonly way?: 'true' | 'false';
  /** Suspends the run until then: behind the node, or until a callback arrives if the node awaits one. */
  readonly until?: Date;
}

/** A node has failed. The message says why, for people. */
export class NodeFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** Whether a repeat may succeed a moment later. */
    readonly isTransient = false,
    /** The work of the node before it failed. */
    readonly input?: unknown,
  ) {
    super(message);
    this.name = 'NodeFailure';
  }
}

/** A kind of nodes in its own words. */
export interface NodeDescription {
  /** The `type` of its nodes in flow documents. It never changes. */
  readonly type: string;
  /** A sentence on its nodes for the published JSON Schema. */
  readonly description: string;
  /** The schema of the members that its nodes have beside `id`, `name` and `type`. */
  readonly members: z.ZodObject;
  /** Whether its nodes wait for a callback, whose body becomes their output. */
  readonly awaitsCallback?: boolean;
}

/** Runs the nodes of one type. Its class is marked with `@FlowNodeKind`. */
export abstract class NodeKind<Members = object> {
  /**
   * Whether the node only computes. Its result need not be committed before the next node begins, as it can be
   * repeated.
   */
  readonly isPure: boolean = false;

  abstract run(node: Members, context: NodeContext): Promise<NodeOutcome>;
}

export const flowNodeKinds = new NamedMark<NodeKind, NodeDescription>(
  [NodeKind],
  'run the nodes of the type',
  ({ type }) => [type],
);

/** Marks a class that extends NodeKind. Flows find it by the type of its nodes. */
export function FlowNodeKind(description: NodeDescription): ClassDecorator {
  return flowNodeKinds.marks({ ...description, members: description.members.strict() });
}
