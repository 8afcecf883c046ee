import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Actor } from '../../kernel/actor.js';

export type Notice = () => void | Promise<void>;

export interface OpenTransaction {
  actor: Actor;
  em: EntityManager;
  notices: Notice[];
}

export const openTransaction = new AsyncLocalStorage<OpenTransaction>();

/**
 * Who holds one connection and waits for a second one of the same pool waits for ever, as soon as there are as many of
 * them as connections.
 */
export function refuseInTransaction(): void {
  if (openTransaction.getStore()) {
    throw new Error('A transaction must not ask on a connection of its own: ask before it begins, or with its manager');
  }
}
