const JITTER = 0.1;
/** However long a receiver asks us to wait, the promise to try again stays one that people can await. */
const MOST_ASKED_SECONDS = 24 * 3_600;

/** Seconds until the next attempt, given how many there have been; nothing after the last. */
export function delayAfter(
  attempts: number,
  schedule: readonly number[],
  askedSeconds: number | undefined,
): number | undefined {
  const planned = schedule[attempts];
  if (planned === undefined) return undefined;
  return Math.max(jittered(planned), Math.min(askedSeconds ?? 0, MOST_ASKED_SECONDS));
}

/** What failed together is not tried together again. */
function jittered(seconds: number): number {
  return seconds * (1 - JITTER + 2 * JITTER * Math.random());
}
