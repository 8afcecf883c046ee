import { NoAnswer, Refusal, type SlipwayError } from './errors.js';
import type { TimeLimit } from './time-limit.js';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;

export interface Attempts {
  /** Sends the request once. */
  send: (signal: AbortSignal) => Promise<Response>;
  url: string;
  /** Whether sending the request twice has the same effect as sending it once. */
  isRepeatable: boolean;
  /** How often the request is sent again at most. */
  retries: number;
  limit: TimeLimit;
}

/** Sends a request until it is answered with a success, or until another attempt is useless or forbidden. */
export async function sendWithRetries(attempts: Attempts): Promise<Response> {
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await tryOnce(attempts);
    if (outcome instanceof Response) return outcome;
    const pause = pauseAfter(outcome, attempt, attempts);
    if (pause === undefined || pause >= attempts.limit.leftMs()) throw outcome;
    await attempts.limit.pause(pause);
  }
}

async function tryOnce({ send, url, limit }: Attempts): Promise<Response | SlipwayError> {
  try {
    const response = await send(limit.signal);
    return response.ok ? response : await Refusal.in(response);
  } catch (error) {
    limit.throwIfOver();
    return new NoAnswer(url, error);
  }
}

/** Returns how long to wait before the next attempt, or undefined if there is none. */
function pauseAfter(error: SlipwayError, attempt: number, { isRepeatable, retries }: Attempts): number | undefined {
  const asked = error instanceof Refusal ? error.retryAfterMs : undefined;
  // The first attempt still runs, so this one waits for its answer, however often that takes.
  if (error.is('IDEMPOTENCY_IN_PROGRESS')) return asked ?? FIRST_PAUSE_MS;
  if (attempt >= retries || !mayRepeat(error, isRepeatable)) return undefined;
  return asked ?? Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2);
}

function mayRepeat(error: SlipwayError, isRepeatable: boolean): boolean {
  if (!(error instanceof Refusal)) return isRepeatable;
  const { status, retryAfterMs } = error;
  // Without the header, a limit is of another kind: that of the keys of a scope does not pass.
  if (status === 429) return retryAfterMs !== undefined;
  if (status === 503) return isRepeatable || retryAfterMs !== undefined;
  // A proxy has lost the process behind it.
  return isRepeatable && (status === 502 || status === 504);
}
