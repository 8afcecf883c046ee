import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { SYSTEM } from '../../../kernel/actor.js';
import { Database } from '../../../platform/database/database.js';
import { SessionCountRepository } from './session-count.repository.js';

const MINUTE_MS = 60_000;
/** A slot is counted so long after its end: longer than a session may be late without being counted by itself. */
const COUNTED_AFTER_MS = 6 * MINUTE_MS;
const LOOKED_EVERY_MS = 25;
/** Whoever writes for longer is waited for again the next time. */
const PATIENCE_MS = 30_000;
const SUMS_AT_ONCE = 20_000;

/** Sums up how many sessions began in which ten minutes. What is exact without it stays exact with it. */
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

  /** A time before which no session is yet to appear that is not counted by itself. */
  private async allWrittenBefore(signal: AbortSignal): Promise<Date | null> {
    const moment = await this.database.ask(this.counts.thisMoment());
    const deadline = performance.now() + PATIENCE_MS;
    while (!(await this.database.ask(this.counts.isPast(moment)))) {
      if (performance.now() > deadline) return null;
      await wait(LOOKED_EVERY_MS, undefined, { signal });
    }
    return new Date(moment.at.getTime() - COUNTED_AFTER_MS);
  }
}
