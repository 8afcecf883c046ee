import type { EntityManager } from '@mikro-orm/postgresql';
import type { Actor } from '../../kernel/actor.js';

/** What a transaction changes, written down in the same transaction. The audit implements it. */
export abstract class ChangeLog {
  /** From here on the changes that go through this manager are collected. */
  abstract begin(em: EntityManager): void;

  /** Once all of them are made. */
  abstract write(em: EntityManager, actor: Actor): Promise<void>;
}
