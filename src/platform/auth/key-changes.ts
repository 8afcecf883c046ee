import { Injectable } from '@nestjs/common';
import type { Actor } from '../../kernel/actor.js';
import { Database } from '../database/database.js';
import { demand, isUnmet } from '../database/demand.js';
import { sql } from '../database/sql.js';
import { write } from '../database/statement.js';
import type { Transaction } from '../database/transaction.js';
import { authErrors } from './auth.errors.js';
import { CHANGED } from './key-listener.js';
import { KeyNotices } from './key-notices.js';
import { CHANGE_TAKES_MS } from './known-keys.js';

const IN_TIME = 'the change is committed while no process keeps the key';

/** Changes what keys may do, so that no process goes on by what it knew of them before. */
@Injectable()
export class KeyChanges {
  /** The longest time from the notice to the commit of the change. Tests shorten it. */
  takesMs = CHANGE_TAKES_MS / 2;

  constructor(
    private readonly database: Database,
    private readonly notices: KeyNotices,
  ) {}

  /**
   * Has every process drop what it knows of these keys, or of the keys of these scopes, and then changes them in a
   * transaction. Nothing changes if a process does not confirm in time, or if the transaction waits for others so long that
   * processes may know the key again. The caller can simply try again.
   */
  async make<T>(ids: readonly string[], actor: Actor, change: (tx: Transaction) => Promise<T>): Promise<T> {
    const noticedAt = performance.now();
    await this.notices.notify(CHANGED, ids, authErrors.keyChangePending);
    const committed = this.database.transaction(actor, async (tx) => {
      // The database measures the rest from the beginning of the transaction, which was before this moment.
      const leftMs = this.takesMs - (performance.now() - noticedAt);
      const changed = await change(tx);
      await tx.em.flush();
      tx.defer(committedWithin(leftMs));
      return changed;
    });
    return committed.catch((error: unknown) => {
      throw isUnmet(error, IN_TIME) ? authErrors.keyChangePending({ cause: error }) : error;
    });
  }
}

function committedWithin(milliseconds: number) {
  const isInTime = sql`clock_timestamp() < now() + make_interval(secs => ${milliseconds / 1_000})`;
  return write(sql`select ${demand(isInTime, IN_TIME)}`);
}
