import { setClock, systemClock } from '../../src/kernel/clock.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Does the work while the clock of the service in this process stands at a time of the test's choice. */
export async function atTime<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  setClock({ now: () => new Date(milliseconds) });
  try {
    return await work();
  } finally {
    setClock(systemClock);
  }
}
