import { Injectable } from '@nestjs/common';
import type { SlipwayError } from '../../kernel/errors.js';
import { withinTime } from '../../kernel/time-limit.js';
import { Database } from '../database/database.js';
import { sql } from '../database/sql.js';
import { rows, write } from '../database/statement.js';
import { KeyListener, type Notice } from './key-listener.js';

/**
 * Together with the wait for the row's lock, this stays below the five seconds within which a revocation is answered.
 */
const CONFIRM_WITHIN_MS = 2_000;
/**
 * The time until the question is repeated, which doubles each time. A process that began to listen after the first
 * notification confirms the next one. Each confirmation wakes the connections of all processes that listen, so a question
 * is not repeated while confirmations come in.
 */
const ASK_AGAIN_AFTER_MS = 250;
/** Limited because a notification of PostgreSQL carries at most 8,000 bytes. */
const IDS_A_NOTICE = 100;

/** Notifies every process of keys and scopes, and waits until each has confirmed that it acted on it. */
@Injectable()
export class KeyNotices {
  constructor(
    private readonly database: Database,
    private readonly listener: KeyListener,
  ) {}

  async notify(notice: Notice, ids: readonly string[], late: () => SlipwayError): Promise<void> {
    this.listener.act(notice, ids);
    const deadline = performance.now() + CONFIRM_WITHIN_MS;
    const confirmAll = async () => {
      for (let from = 0; from < ids.length; from += IDS_A_NOTICE) {
        await this.confirm(notice, ids.slice(from, from + IDS_A_NOTICE), deadline, late);
      }
    };
    await withinTime(CONFIRM_WITHIN_MS, confirmAll(), late);
  }

  private async confirm(
    notice: Notice,
    ids: readonly string[],
    deadline: number,
    late: () => SlipwayError,
  ): Promise<void> {
    const question = this.listener.newQuestion();
    const confirmed = new Set<number>([this.listener.processNumber]);
    const missing = new Set<number>();
    let wake = () => {};
    const onConfirmed = (answered: string, process: number) => {
      if (answered !== question) return;
      confirmed.add(process);
      missing.delete(process);
      if (missing.size === 0) wake();
    };
    this.listener.confirmations.on('confirmed', onConfirmed);
    try {
      for (let pause = ASK_AGAIN_AFTER_MS; ; pause *= 2) {
        for (const process of await this.everyListener(notice)) if (!confirmed.has(process)) missing.add(process);
        if (missing.size === 0) return;
        const left = deadline - performance.now();
        if (left <= 0) throw late();
        const { promise: woken, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        const timer = setTimeout(resolve, Math.min(pause, left));
        try {
          await this.database.ask(write(sql`select pg_notify(${notice.channel}, ${[question, ...ids].join(' ')})`));
          await woken;
        } finally {
          clearTimeout(timer);
        }
        missing.clear();
      }
    } finally {
      this.listener.confirmations.off('confirmed', onConfirmed);
    }
  }

  private async everyListener({ lock }: Notice): Promise<number[]> {
    const listeners = await this.database.ask(listenersOf(lock));
    return listeners.map(({ process }) => process);
  }
}

function listenersOf(lock: number) {
  return rows<{ process: number }>(
    sql`select objid::int8::int as process from pg_locks
        where locktype = 'advisory' and granted and classid = ${lock}::oid and objsubid = 2
          and database = (select oid from pg_database where datname = current_database())`,
  );
}
