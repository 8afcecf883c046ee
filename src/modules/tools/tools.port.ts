import type { Transaction } from '../../platform/database/transaction.js';
import type { Id } from '../../kernel/ids.js';
import { Mark } from '../../platform/extension/mark.js';

export interface RunError {
  readonly code: string;
  readonly message: string;
}

/** What a run of a tool came to, or that it waits. */
export type ToolRunResult = { runId: Id<'toolRun'> } & (
  | { status: 'completed'; output: unknown }
  | { status: 'failed'; error: RunError }
  | { status: 'suspended'; until: Date }
);

/** Who had the tool run, and what for, in its own words. */
export interface ToolCaller {
  readonly name: string;
  readonly ref: string;
}

export interface EndedToolRun {
  readonly runId: Id<'toolRun'>;
  readonly projectId: Id<'project'>;
  readonly caller: ToolCaller;
  readonly result: Exclude<ToolRunResult, { status: 'suspended' }>;
}

/** Whoever has tools run and cannot wait for those that suspend. */
export abstract class ToolRunListener {
  /** Before it, so that locks are taken in one order: locks what `onEnded` is going to change. */
  abstract lock(tx: Transaction, caller: ToolCaller): Promise<void>;

  /** In the transaction that ends a run which had been suspended. */
  abstract onEnded(tx: Transaction, ended: EndedToolRun): Promise<void>;
}

export const runListeners = new Mark<ToolRunListener, string>('listen to the tool runs of');

/** Marks the one provider that is told of the runs of this caller. */
export function ListensToToolRuns(callerName: string): ClassDecorator {
  return runListeners.marks(callerName);
}
