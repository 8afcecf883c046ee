/** Limits the wait that another service asks for to one that people can still await. */
const MOST_SECONDS = 24 * 3_600;

/** Returns the seconds that `Retry-After` asks for, as a number or as a date, up to a day. */
export function secondsAsked(header: string | null | undefined, now: Date): number | undefined {
  const asked = header?.trim();
  if (!asked) return undefined;
  if (/^\d+$/.test(asked)) return Math.min(Number(asked), MOST_SECONDS);
  const at = new Date(asked).getTime();
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, (at - now.getTime()) / 1000), MOST_SECONDS);
}
