import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { sql } from '../database/sql.js';
import { rows, write } from '../database/statement.js';
import { authErrors } from './auth.errors.js';
import { REVOCATION_TAKES_MS } from './key-recheck.js';
import { KeyDirectory } from './key-directory.js';
import { LISTENER_LOCK, RevocationListener, revocationNotice } from './revocation-listener.js';
import { RunningRequests } from './running-requests.js';

/**
 * Together with the wait for the row's lock, this stays below the five seconds within which a revocation is answered.
 */
const CONFIRM_WITHIN_MS = 2_000;
const FORGET_WITHIN_MS = 800;
/**
 * The interval between questions. A process that began to listen after the first notification confirms the next one.
 */
const ASK_EVERY_MS = 250;
/** Limited because a notification of PostgreSQL carries at most 8,000 bytes. */
const KEYS_A_NOTICE = 100;

/** Makes sure that no process goes on working for a revoked key. */
@Injectable()
export class KeyRevocations {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyDirectory,
    private readonly listener: RevocationListener,
    private readonly running: RunningRequests,
  ) {}

  /**
   * Finishes a revocation, after the keys are marked as revoked and that is committed. It returns when no process works
   * for them any more and their rows are deleted, which also waits for transactions that are about to commit.
   */
  async finish(keyIds: readonly string[]): Promise<void> {
    const longEnough = wait(REVOCATION_TAKES_MS);
    await this.stopEverywhere(keyIds);
    await this.keys.forget(keyIds, FORGET_WITHIN_MS);
    await longEnough;
  }

  private async stopEverywhere(keyIds: readonly string[]): Promise<void> {
    for (const keyId of keyIds) this.running.revoke(keyId);
    const deadline = Date.now() + CONFIRM_WITHIN_MS;
    for (let from = 0; from < keyIds.length; from += KEYS_A_NOTICE) {
      await this.confirmAll(keyIds.slice(from, from + KEYS_A_NOTICE), deadline);
    }
  }

  private async confirmAll(keyIds: readonly string[], deadline: number): Promise<void> {
    const question = this.listener.newQuestion();
    const confirmed = new Set<number>([this.listener.processNumber]);
    let wake = () => {};
    const onStopped = (answered: string, process: number) => {
      if (answered !== question) return;
      confirmed.add(process);
      wake();
    };
    this.listener.confirmations.on('stopped', onStopped);
    try {
      while (!(await this.everyListener()).every((process) => confirmed.has(process))) {
        if (Date.now() > deadline) throw authErrors.revocationPending();
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, ASK_EVERY_MS);
        });
        const [channel, notice] = revocationNotice(question, keyIds);
        await this.database.ask(write(sql`select pg_notify(${channel}, ${notice})`));
        await woken;
      }
    } finally {
      this.listener.confirmations.off('stopped', onStopped);
    }
  }

  private async everyListener(): Promise<number[]> {
    const listeners = await this.database.ask(LISTENERS);
    return listeners.map(({ process }) => process);
  }
}

const LISTENERS = rows<{ process: number }>(
  sql`select objid::int8::int as process from pg_locks
      where locktype = 'advisory' and granted and classid = ${LISTENER_LOCK}::oid and objsubid = 2
        and database = (select oid from pg_database where datname = current_database())`,
);
