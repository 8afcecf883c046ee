import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { SYSTEM } from '../../../kernel/actor.js';
import { MINUTE_MS } from '../../../kernel/spans.js';
import { Database } from '../../../platform/database/database.js';
import { SessionCountRepository } from './session-count.repository.js';

/**
 * The time after which the sessions of a slot are summed up. A session that is inserted more than 5 minutes after its
 * beginning is counted by a trigger, so no session of a summed slot is missed.
 */
const COUNTED_AFTER_MS = 6 * MINUTE_MS;
/** The first pause between two looks. Each pause is twice as long as the one before, up to the longest. */
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;
/** If a transaction writes for longer than this, the next run of the job waits for it again. */
const MAX_WAIT_MS = 30_000;
const SUMS_AT_ONCE = 20_000;

/** Sums up how many sessions began in each ten minutes, so that a list need not count rows. Its totals stay exact. */
@Injectable()
export class SessionCounting {
  constructor(
    private readonly database: Database,
    private readonly counts: SessionCountRepository,
  ) {}

  async count(signal: AbortSignal): Promise<void> {
    const before = await this.allWrittenBefore(signal);
    while (before && !signal.aborted && (await this.countSome(before)));
    while (!signal.aborted && (await this.database.ask(this.counts.addUp(SUMS_AT_ONCE))) >= SUMS_AT_ONCE);
  }

  private countSome(before: Date): Promise<boolean> {
    return this.database.transaction(SYSTEM, async (tx) => {
      return (await tx.ask(this.counts.tryLock())) && tx.ask(this.counts.countSome(before));
    });
  }

  /**
   * Waits until every earlier transaction has ended. Returns a time before which only sessions can still appear that a
   * trigger counts.
   */
  private async allWrittenBefore(signal: AbortSignal): Promise<Date | null> {
    const moment = await this.database.ask(this.counts.thisMoment());
    const deadline = performance.now() + MAX_WAIT_MS;
    let pauseMs = FIRST_PAUSE_MS;
    while (!(await this.database.ask(this.counts.isPast(moment)))) {
      if (performance.now() > deadline) return null;
      await wait(pauseMs, undefined, { signal });
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
    return new Date(moment.at.getTime() - COUNTED_AFTER_MS);
  }
}
