import { Injectable } from '@nestjs/common';
import { correctClock, machineTime } from '../../kernel/clock.js';
import { Log } from '../telemetry/log.js';

/**
 * The difference that is tolerated. Synchronized clocks differ by less, and a slow network distorts the measurement by
 * less.
 */
const TOLERATED_MS = 1_000;
/** Answers with a longer round trip are ignored, because they do not show the time exactly enough. */
const MAX_ROUND_TRIP_MS = 500;

/**
 * Compares the machine's clock with that of the database, which decides when jobs are due. If they differ, the process
 * uses the time of the database, so that the wrong clock of one machine does not falsify the timestamps of callbacks.
 */
@Injectable()
export class DatabaseClock {
  /** The time by which the machine's clock is ahead of the database's. */
  differenceMs = 0;

  constructor(private readonly log: Log) {}

  /**
   * Compares `time`, which the database answered, with `askedAt`, the machine's time at which the question was sent.
   */
  compare(askedAt: Date, time: Date): void {
    const roundTripMs = machineTime().getTime() - askedAt.getTime();
    if (roundTripMs < 0 || roundTripMs > MAX_ROUND_TRIP_MS) return;
    const wasWrong = this.isWrong;
    this.differenceMs = askedAt.getTime() + roundTripMs / 2 - time.getTime();
    correctClock(this.isWrong ? -this.differenceMs : 0);
    if (this.isWrong && !wasWrong) {
      const seconds = Math.round(this.differenceMs / 1_000);
      this.log.warn({ seconds }, "This machine's clock differs from the database's, whose time is used instead");
    }
  }

  private get isWrong(): boolean {
    return Math.abs(this.differenceMs) > TOLERATED_MS;
  }
}
