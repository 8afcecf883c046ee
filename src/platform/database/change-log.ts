import type { Statement } from './statement.js';
import type { Transaction } from './transaction.js';

/** What a transaction changes, written down in the same transaction. The audit implements it. */
export abstract class ChangeLog {
  /** From here on the changes that the transaction makes to entities are collected. */
  abstract begin(tx: Transaction): void;

  /** What writes down all that were collected so far; none where there are none. */
  abstract statement(tx: Transaction): Promise<Statement<void> | null>;
}
