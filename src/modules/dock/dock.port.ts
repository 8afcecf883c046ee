import type { Transaction } from '../../platform/database/transaction.js';
import type { z } from 'zod';
import type { Id } from '../../kernel/ids.js';
import { Mark } from '../../platform/extension/mark.js';
import type { Downloadable } from '../../platform/transfer/download.js';
import type { DockAction, DockJob, DockJobType } from './dock-job.entity.js';

export type { DockAction, DockJobType } from './dock-job.entity.js';

/** The dock job for which work is done, with its target. */
export interface DockSubject<Data> {
  readonly dockJobId: Id<'dockJob'>;
  readonly projectId: Id<'project'>;
  /** The id of the tool or model. */
  readonly targetId: string;
  readonly data: Data;
}

/** One attempt at an import, export, deployment or undeployment, which a `DockWork` gets to do. */
export interface DockTask<Data> extends DockSubject<Data> {
  /** Aborted when the job is cancelled or reclaimed, or the process stops. */
  readonly signal: AbortSignal;
  /** Reports the real progress, in bytes or steps. It may be called often, because only few of the calls are written. */
  progress(percentage: number, stage: string): void;
  /** Commits the effect and SUCCESS together, or neither. The result of the effect becomes the `response`. */
  succeed(effect: (tx: Transaction) => Promise<Record<string, unknown> | void>): Promise<void>;
  /** Fails for good, such as for a bad archive. If another attempt may succeed, throw an error instead. */
  fail(code: string, message: string, effect?: (tx: Transaction) => Promise<void>): Promise<void>;
}

/** Does one kind of dock job. It may be called again for the same job, because a process can die at any moment. */
export abstract class DockWork<Data> {
  /** Ends with `task.succeed` or `task.fail`, or throws an error to be tried again. */
  abstract run(task: DockTask<Data>): Promise<void>;

  /** Locks what `onFailed` changes. A cancellation calls it before it locks the job that does the work. */
  abstract lock(tx: Transaction, subject: DockSubject<Data>): Promise<void>;

  /** Restores the state of the target. It runs in the transaction that fails or cancels the job. */
  abstract onFailed(tx: Transaction, subject: DockSubject<Data>, error: DockError): Promise<void>;
}

export interface DockError {
  readonly code: string;
  readonly message: string;
}

export interface DockWorkOptions {
  readonly jobType: DockJobType;
  readonly action: DockAction;
  /** The schema of the ids that the work gets. It gets no rows, because they may change before it runs. */
  readonly data: z.ZodType;
  readonly attempts: number;
}

export const dockWorks = new Mark<DockWork<unknown>, DockWorkOptions>([DockWork], 'do dock jobs of the kind');

/** Marks the only provider that does this kind of dock job. */
export function DoesDockWork(options: DockWorkOptions): ClassDecorator {
  return dockWorks.marks(options);
}

/** Opens exported contents for downloads with a link. */
export abstract class DockExports {
  /** Called only for exports that are SUCCESS. Throws an error of its module if the content is gone. */
  abstract open(job: DockJob): Promise<Downloadable>;
}

export const dockExports = new Mark<DockExports, DockJobType>([DockExports], 'give the exports of');

/** Marks the only provider that opens exports of this type. The dock adds the `downloadUrl` to answers. */
export function GivesExports(jobType: DockJobType): ClassDecorator {
  return dockExports.marks(jobType);
}
