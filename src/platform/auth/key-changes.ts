import { Injectable } from '@nestjs/common';
import type { Actor } from '../../kernel/actor.js';
import { Database } from '../database/database.js';
import type { Transaction } from '../database/transaction.js';
import { authErrors } from './auth.errors.js';
import { CHANGED } from './key-listener.js';
import { KeyNotices } from './key-notices.js';
import { CHANGE_TAKES_MS } from './known-keys.js';

/** Changes what keys may do, so that no process goes on by what it knew of them before. */
@Injectable()
export class KeyChanges {
  constructor(
    private readonly database: Database,
    private readonly notices: KeyNotices,
  ) {}

  /**
   * Has every process drop what it knows of these keys, or of the keys of these scopes, and then changes them in a
   * transaction. Processes that do not confirm in time keep the change from being made, so that the caller can simply try again.
   */
  async make<T>(ids: readonly string[], actor: Actor, change: (tx: Transaction) => Promise<T>): Promise<T> {
    await this.drop(ids);
    const droppedAt = performance.now();
    return this.database.transaction(actor, async (tx) => {
      const changed = await change(tx);
      // The change waited for others so long that processes may know the key again before it is committed.
      if (performance.now() - droppedAt > CHANGE_TAKES_MS / 2) await this.database.apart(() => this.drop(ids));
      return changed;
    });
  }

  private drop(ids: readonly string[]): Promise<void> {
    return this.notices.notify(CHANGED, ids, authErrors.keyChangePending);
  }
}
