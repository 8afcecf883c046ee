import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Actor } from '../../kernel/actor.js';

export type Notice = () => void | Promise<void>;

export interface OpenTransaction {
  actor: Actor;
  em: EntityManager;
  notices: Notice[];
}

/** The one that the code that asks runs in. */
export const openTransaction = new AsyncLocalStorage<OpenTransaction>();

/** For what has to be kept, or done, whatever becomes of a transaction. */
export function refuseInTransaction(): void {
  if (openTransaction.getStore()) throw new Error('This has to be done before the transaction begins');
}
