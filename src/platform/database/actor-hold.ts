import type { Actor } from '../../kernel/actor.js';
import type { Transaction } from './transaction.js';

/** Keeps an actor's key from going before a transaction ends. The access module implements it. */
export abstract class ActorHold {
  /** Refuses when the key is already gone, or may no longer do what it could. */
  abstract hold(tx: Transaction, actor: Actor): Promise<void>;
}
