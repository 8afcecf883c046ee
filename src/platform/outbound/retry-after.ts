/** However long others ask us to wait, what is told or promised of it stays something that people can await. */
const MOST_SECONDS = 24 * 3_600;

/** What `Retry-After` asks for, in seconds, up to a day: a number of them, or a date. */
export function secondsAsked(header: string | null | undefined, now: Date): number | undefined {
  const asked = header?.trim();
  if (!asked) return undefined;
  if (/^\d+$/.test(asked)) return Math.min(Number(asked), MOST_SECONDS);
  const at = new Date(asked).getTime();
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, (at - now.getTime()) / 1000), MOST_SECONDS);
}
