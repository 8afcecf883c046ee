import type { Actor } from '../../kernel/actor.js';
import type { Transaction } from './transaction.js';

/** Locks the caller's key, so that it is not revoked before a transaction ends. The access module implements it. */
export abstract class ActorLock {
  /** Refuses if the key is already revoked, or has lost a permission since the request was authenticated. */
  abstract lock(tx: Transaction, actor: Actor): Promise<void>;
}
