import { AsyncLocalStorage } from 'node:async_hooks';
import type { Transaction } from './transaction.js';

/** The transaction in which the current code runs. */
export const openTransaction = new AsyncLocalStorage<Transaction>();

/** Refuses work that needs a connection or a commit of its own. */
export function refuseInTransaction(): void {
  if (openTransaction.getStore()) throw new Error('The code has to do this before the transaction begins');
}
