import type { EntityManager } from '@mikro-orm/postgresql';
import type { Actor } from '../../kernel/actor.js';

/** Keeps an actor's key from going before a transaction ends. The access module implements it. */
export abstract class ActorHold {
  /** Refuses when the key is already gone, or may no longer do what it could. */
  abstract hold(em: EntityManager, actor: Actor): Promise<void>;
}
