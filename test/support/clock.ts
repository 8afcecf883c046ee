import { setClock, systemClock } from '../../src/kernel/clock.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Runs the work while the clock of the service in this process stands still at the given time. */
export async function atTime<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  setClock({ now: () => new Date(milliseconds) });
  try {
    return await work();
  } finally {
    setClock(systemClock);
  }
}
