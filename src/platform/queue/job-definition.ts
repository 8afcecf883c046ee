import type { z } from 'zod';

/** A kind of work that is promised: its name, what it needs to know, and how often it is tried. */
export interface JobDefinition<Data = unknown> {
  readonly name: string;
  readonly data: z.ZodType<Data>;
  /** After so many it has failed, and its handler is told. */
  readonly attempts: number;
  /** Seconds before the next attempt, given how many there have been. */
  readonly backoff: (attempt: number) => number;
  /** How many of one lane may run at a time. */
  readonly width: number;
  readonly every: number | null;
  /** Whether the row stays for a while once the job is done. */
  readonly isKept: boolean;
}

interface DefineOptions<Data> {
  /** Ids of rows, not the rows: the job reads what is true when it runs. */
  data: z.ZodType<Data>;
  attempts: number;
  backoff?: (attempt: number) => number;
  /** How many of one lane may run at a time. One unless said otherwise; more give up the lane's order. */
  width?: number;
  /** Seconds between the end of one run and the next. Such a job adds itself; its data is what `{}` becomes. */
  every?: number;
  /** False where there are many and other rows tell what became of them: done, the row goes at once. Failed, it stays. */
  isKept?: boolean;
}

const definitions = new Map<string, JobDefinition>();

export function defineJob<Data>(name: string, options: DefineOptions<Data>): JobDefinition<Data> {
  if (definitions.has(name)) throw new Error(`The job ${name} is defined twice`);
  const definition = { name, backoff: exponential, width: 1, every: null, isKept: true, ...options };
  definitions.set(name, definition);
  return definition;
}

export function jobDefinitions(): JobDefinition[] {
  return [...definitions.values()];
}

/** 1, 2, 4 … seconds, at most five minutes. */
function exponential(attempt: number): number {
  return Math.min(2 ** (attempt - 1), 300);
}
