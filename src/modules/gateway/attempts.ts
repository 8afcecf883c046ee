import { withRetries } from '../../kernel/retries.js';
import { failureOf, ModelFailure } from './model-failure.js';

const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 250;
/** A provider that asks for a longer pause is not asked again: whoever waits for the answer is told so instead. */
const LONGEST_PAUSE_MS = 5_000;

/**
 * Calls again what failed for a moment, after pauses of which no two are alike, and throws the last failure. The signal
 * ends it all.
 */
export function inAttempts<T>(call: () => PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const attempt = async () => {
    try {
      return await call();
    } catch (error) {
      signal.throwIfAborted();
      throw failureOf(error);
    }
  };
  return withRetries(attempt, pauseAfter, signal);
}

function pauseAfter(failure: unknown, attempt: number): number | undefined {
  if (!(failure instanceof ModelFailure) || !failure.isTransient || attempt === ATTEMPTS) return undefined;
  const { retryAfterSeconds } = failure;
  const jitter = Math.random() * FIRST_PAUSE_MS * 2 ** (attempt - 1);
  const pauseMs = retryAfterSeconds === undefined ? FIRST_PAUSE_MS / 2 + jitter : retryAfterSeconds * 1000 + jitter;
  return pauseMs > LONGEST_PAUSE_MS ? undefined : pauseMs;
}
