import type { Id } from '../../kernel/ids.js';

/** A piece of work that was done: a call of a model, or anything else that took time. */
export interface Observed {
  id: Id<'observation'>;
  traceId: Id<'trace'>;
  /** It may arrive later than its children, or never. */
  parentId: Id<'observation'> | null;
  /** '' where it is not said: then it is that of its trace. */
  sessionId: string;
  name: string;
  /** RFC 3339, to the microsecond where it is known. */
  startedAt: string;
  endedAt: string;
  status: 'success' | 'failed';
  statusMessage: string;
  input: string | null;
  output: string | null;
  /** What else is known, as JSON. */
  attributes: string;
  /** Null for anything but a call of a model. */
  generation: Generation | null;
}

export interface Generation {
  model: string;
  provider: string;
  inputTokens: number;
  outputTokens: number;
  cost: number;
}
