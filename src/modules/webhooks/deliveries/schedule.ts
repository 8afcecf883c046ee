const JITTER = 0.1;

/** Seconds until the next attempt, given how many there have been; nothing after the last. */
export function delayAfter(
  attempts: number,
  schedule: readonly number[],
  askedSeconds: number | undefined,
): number | undefined {
  const planned = schedule[attempts];
  if (planned === undefined) return undefined;
  return Math.max(jittered(planned), askedSeconds ?? 0);
}

/** What failed together is not tried together again. */
function jittered(seconds: number): number {
  return seconds * (1 - JITTER + 2 * JITTER * Math.random());
}
