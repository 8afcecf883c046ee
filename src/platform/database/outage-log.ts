import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Log } from '../telemetry/log.js';
import { isOutage } from './database.errors.js';

/** An outage is over when no work has failed because of it for this time. */
const OVER_AFTER_MS = 10_000;

interface Outage {
  begunAt: number;
  failures: number;
  untilOver: NodeJS.Timeout;
}

/**
 * Logs an outage of the database with one line at its beginning and one at its end. Thousands of requests and jobs may
 * fail in between, and each request has its own line in the log anyway.
 */
@Injectable()
export class OutageLog implements OnApplicationShutdown {
  private outage: Outage | undefined;

  constructor(private readonly log: Log) {}

  /** Logs or counts an error of an outage. Returns false for any other error, which is left to the caller. */
  note(error: unknown): boolean {
    if (!isOutage(error)) return false;
    this.outage ??= this.begin(error);
    this.outage.failures += 1;
    this.outage.untilOver.refresh();
    return true;
  }

  onApplicationShutdown(): void {
    clearTimeout(this.outage?.untilOver);
  }

  private begin(error: unknown): Outage {
    this.log.error(
      { err: error },
      'The database does not answer, is full, or is overloaded. Further failures are counted, not logged',
    );
    return { begunAt: performance.now(), failures: 0, untilOver: setTimeout(() => this.end(), OVER_AFTER_MS).unref() };
  }

  private end(): void {
    const { begunAt, failures } = this.outage!;
    this.outage = undefined;
    const seconds = Math.round((performance.now() - begunAt - OVER_AFTER_MS) / 1_000);
    this.log.info({ seconds, failures }, 'The outage of the database is over');
  }
}
