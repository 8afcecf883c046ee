import { setTimeout as wait } from 'node:timers/promises';
import { NodeFailure } from './node-kind.js';

interface Retry {
  attempts: number;
  delayMs: number;
}

/** Tries again what may go well a moment later. */
export async function withRetries<T>(
  retry: Retry | undefined,
  signal: AbortSignal,
  attempt: () => Promise<T>,
): Promise<{ result: T; attempts: number }> {
  const { attempts, delayMs } = retry ?? { attempts: 1, delayMs: 0 };
  for (let tried = 1; ; tried += 1) {
    try {
      return { result: await attempt(), attempts: tried };
    } catch (error) {
      if (!(error instanceof NodeFailure) || !error.isTransient || tried >= attempts) throw error;
      await wait(delayMs * 2 ** (tried - 1), undefined, { signal });
    }
  }
}
