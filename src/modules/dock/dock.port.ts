import type { Transaction } from '../../platform/database/transaction.js';
import type { z } from 'zod';
import type { Id } from '../../kernel/ids.js';
import { Mark } from '../../platform/extension/mark.js';
import type { Downloadable } from '../../platform/transfer/download.js';
import type { DockAction, DockJob, DockJobType } from './dock-job.entity.js';

export type { DockAction, DockJobType } from './dock-job.entity.js';

/** What a piece of work is for. */
export interface DockSubject<Data> {
  readonly dockJobId: Id<'dockJob'>;
  readonly projectId: Id<'project'>;
  /** The tool or the model. */
  readonly targetId: string;
  readonly data: Data;
}

/** One attempt at an import, export, deploy or undeploy, as whoever does it sees it. */
export interface DockTask<Data> extends DockSubject<Data> {
  /** Aborted when the job is cancelled or taken over, or the process stops. */
  readonly signal: AbortSignal;
  /** The truth, by bytes or steps. Call it as often as you like: few of the calls are written down, beside the work. */
  progress(percentage: number, stage: string): void;
  /** The effect and SUCCESS commit together, or neither does. What the effect returns is kept as `response`. */
  succeed(effect: (tx: Transaction) => Promise<Record<string, unknown> | void>): Promise<void>;
  /** A final failure, for people: a bad archive, say. Throw instead where another attempt may go better. */
  fail(code: string, message: string, effect?: (tx: Transaction) => Promise<void>): Promise<void>;
}

/** Does one kind of dock job. It may be called again for the same job, since a process can die at any moment. */
export abstract class DockWork<Data> {
  /** Ends with `task.succeed` or `task.fail`; or throws, to be tried again. */
  abstract run(task: DockTask<Data>): Promise<void>;

  /** Locks what `onFailed` changes. A cancellation calls it before it locks the job that does the work. */
  abstract lock(tx: Transaction, subject: DockSubject<Data>): Promise<void>;

  /** In the transaction that gives the job up, or cancels it: puts the target's state back. */
  abstract onFailed(tx: Transaction, subject: DockSubject<Data>, error: DockError): Promise<void>;
}

export interface DockError {
  readonly code: string;
  readonly message: string;
}

export interface DockWorkOptions {
  readonly jobType: DockJobType;
  readonly action: DockAction;
  /** Ids, not rows: the work reads what is true when it runs. */
  readonly data: z.ZodType;
  readonly attempts: number;
}

export const dockWorks = new Mark<DockWork<unknown>, DockWorkOptions>('do dock jobs of the kind');

/** Marks the one provider that does this kind of dock job. The dock finds it. */
export function DoesDockWork(options: DockWorkOptions): ClassDecorator {
  return dockWorks.marks(options);
}

/** Opens what was exported, for whoever holds the link that the dock made. */
export abstract class DockExports {
  /** Called for exports that are SUCCESS only. Refuses with an error of its module where it is gone meanwhile. */
  abstract open(job: DockJob): Promise<Downloadable>;
}

export const dockExports = new Mark<DockExports, DockJobType>('give the exports of');

/** Marks the one provider that opens the exports of this type. The dock puts their `downloadUrl` into answers. */
export function GivesExports(jobType: DockJobType): ClassDecorator {
  return dockExports.marks(jobType);
}
