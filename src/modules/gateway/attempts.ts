import { setTimeout as wait } from 'node:timers/promises';
import { failureOf, type ModelFailure } from './model-failure.js';

const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 250;
/** A provider that asks for a longer pause is not asked again: whoever waits for the answer is told so instead. */
const LONGEST_PAUSE_MS = 5_000;

/**
 * Calls again what failed for a moment, after pauses of which no two are alike, and throws the last failure. The signal
 * ends it all.
 */
export async function withRetries<T>(call: () => PromiseLike<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      signal.throwIfAborted();
      const failure = failureOf(error);
      const pause = pauseAfter(failure, attempt);
      if (!failure.isTransient || attempt === ATTEMPTS || pause > LONGEST_PAUSE_MS) throw failure;
      await wait(pause, undefined, { signal }).catch(() => Promise.reject(failure));
    }
  }
}

function pauseAfter({ retryAfterSeconds }: ModelFailure, attempt: number): number {
  const jitter = Math.random() * FIRST_PAUSE_MS * 2 ** (attempt - 1);
  return retryAfterSeconds === undefined ? FIRST_PAUSE_MS / 2 + jitter : retryAfterSeconds * 1000 + jitter;
}
