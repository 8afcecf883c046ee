import type { z } from 'zod';
import { noteDefinition } from '../../kernel/named-definitions.js';
import { isQueueName, type QueueName, QUEUES } from '../../kernel/queues.js';

/** A kind of job: its name, the schema of its data, and how often it is attempted. */
export interface JobDefinition<Data = unknown> {
  readonly name: string;
  readonly queue: QueueName;
  readonly data: z.ZodType<Data>;
  /** The number of attempts after which the job has failed and its handler's `onFailed` is called. */
  readonly attempts: number;
  /** The seconds until the next attempt, by the number of attempts so far. */
  readonly backoff: (attempt: number) => number;
  /** The number of jobs of one lane that may run at a time. */
  readonly width: number;
  /** The seconds after which an attempt has failed, even if its handler goes on. */
  readonly longestSeconds: number | null;
  readonly every: number | null;
  /** Whether the row is kept for a while once the job is done. */
  readonly isKept: boolean;
}

/** A job that the workers add themselves. */
export type RecurringJob = JobDefinition & { every: number };

interface DefineOptions<Data> {
  /** The kind of work that the job belongs to. A process may serve some kinds only (`SLIPWAY_QUEUES`). */
  queue: QueueName;
  /**
   * The schema of the job's data. The data has ids of rows and not their contents, so that the job reads the rows as
   * they are when it runs.
   */
  data: z.ZodType<Data>;
  attempts: number;
  backoff?: (attempt: number) => number;
  /**
   * The number of jobs of one lane that may run at a time; one by default. A wider lane does not keep its jobs in
   * order.
   */
  width?: number;
  /**
   * The seconds after which an attempt has failed, even if its handler does not heed its signal. Without it, an attempt
   * may take as long as its handler does.
   */
  longestSeconds?: number;
  /**
   * The seconds between the end of one run and the start of the next. The workers add such a job themselves, with the
   * data that the schema makes of `{}`.
   */
  every?: number;
  /**
   * False for frequent jobs whose outcome other rows record: their row is deleted as soon as they are done. The row of
   * a failed job is kept in any case.
   */
  isKept?: boolean;
}

const definitions: JobDefinition[] = [];

export function defineJob<Data>(name: string, options: DefineOptions<Data>): JobDefinition<Data> {
  // A plugin may be plain JavaScript. Its jobs would otherwise be added to a queue that no process serves.
  if (!isQueueName(options.queue)) throw new Error(`The job ${name} needs a queue: one of ${QUEUES.join(', ')}`);
  const definition = {
    name,
    backoff: exponential,
    width: 1,
    longestSeconds: null,
    every: null,
    isKept: true,
    ...options,
  };
  noteDefinition('job', name);
  definitions.push(definition);
  return definition;
}

export function jobDefinitions(): readonly JobDefinition[] {
  return definitions;
}

export function recurringJobs(): RecurringJob[] {
  return jobDefinitions().filter((definition): definition is RecurringJob => definition.every !== null);
}

/** The delay doubles from one second up to five minutes. */
function exponential(attempt: number): number {
  return Math.min(2 ** (attempt - 1), 300);
}
