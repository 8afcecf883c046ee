import type { Transaction } from '../../platform/database/transaction.js';
import type { Id } from '../../kernel/ids.js';
import { Mark } from '../../platform/extension/mark.js';

export interface RunError {
  readonly code: string;
  readonly message: string;
}

/** The outcome of a tool run, or until when it is suspended. */
export type ToolRunResult = { runId: Id<'toolRun'> } & (
  | { status: 'completed'; output: unknown }
  | { status: 'failed'; error: RunError }
  | { status: 'suspended'; until: Date }
);

/** The module that started a run, and its own reference for the purpose, such as the id of a turn. */
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

/** A caller of tools that does not wait in its process for a run that suspends, and is notified of its end. */
export abstract class ToolRunListener {
  /**
   * Locks the rows that `onEnded` will change. It is called before the run is locked, so that the order of locks is
   * kept.
   */
  abstract lock(tx: Transaction, caller: ToolCaller): Promise<void>;

  /** Is called in the transaction that ends a run which had been suspended. */
  abstract onEnded(tx: Transaction, ended: EndedToolRun): Promise<void>;
}

export const runListeners = new Mark<ToolRunListener, string>([ToolRunListener], 'listen to the tool runs of');

/** Marks the one provider that is notified of the runs of this caller. */
export function ListensToToolRuns(callerName: string): ClassDecorator {
  return runListeners.marks(callerName);
}
