import type { Statement } from './statement.js';
import type { Transaction } from './transaction.js';

/** Records what a transaction changes, in the same transaction. The audit implements it. */
export abstract class ChangeLog {
  /** Begins to collect the changes that the transaction makes to entities. */
  abstract begin(tx: Transaction): void;

  /** Returns the statement that records the changes collected so far, or null if there are none. */
  abstract statement(tx: Transaction): Promise<Statement<void> | null>;
}
