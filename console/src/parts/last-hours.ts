const HOUR_MS = 3_600_000;

/** Returns the window of the last hours. It ends later than now, because the clocks of other machines may be ahead. */
export function lastHours(hours: number, aheadMs = HOUR_MS) {
  const now = Date.now();
  return {
    fromDate: new Date(now - hours * HOUR_MS).toISOString(),
    toDate: new Date(now + aheadMs).toISOString(),
  };
}
