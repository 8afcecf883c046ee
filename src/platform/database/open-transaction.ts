import { AsyncLocalStorage } from 'node:async_hooks';
import type { Transaction } from './transaction.js';

/** The transaction in which the current code runs. */
export const openTransaction = new AsyncLocalStorage<Transaction>();

/** Guards work that must be kept or done whatever becomes of a transaction. */
export function refuseInTransaction(): void {
  if (openTransaction.getStore()) throw new Error('The code has to do this before the transaction begins');
}
