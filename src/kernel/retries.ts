import { setTimeout as wait } from 'node:timers/promises';
import { waiting } from './waiting.js';

/**
 * Retries after each failure for which `pauseAfter` returns a pause in milliseconds, and throws the last failure. The
 * signal ends a pause.
 */
export async function withRetries<T>(
  attempt: (number: number) => Promise<T>,
  pauseAfter: (error: unknown, number: number) => number | undefined,
  signal: AbortSignal,
): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number);
    } catch (error) {
      const pauseMs = pauseAfter(error, number);
      if (pauseMs === undefined) throw error;
      const pause = () => wait(pauseMs, undefined, { signal });
      await waiting(pause).catch(() => Promise.reject(error as Error));
    }
  }
}
