import { setTimeout as wait } from 'node:timers/promises';

/** Prometheus drops a scrape that takes too long, with all its metrics. */
const WITHIN_MS = 1_500;

/** Returns what is read for a metric, or null if that fails or takes too long: the other metrics are then still read. */
export function inScrape<T>(read: () => Promise<T>): Promise<T | null> {
  return Promise.race([read().catch(() => null), wait(WITHIN_MS, null, { ref: false })]);
}
