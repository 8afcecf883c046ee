/** What `Retry-After` asks for, in seconds: a number of them, or a date. */
export function secondsAsked(header: string | null | undefined, now: Date): number | undefined {
  const asked = header?.trim();
  if (!asked) return undefined;
  if (/^\d+$/.test(asked)) return Number(asked);
  const at = new Date(asked).getTime();
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now.getTime()) / 1000);
}
