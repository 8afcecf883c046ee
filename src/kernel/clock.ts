/** The one source of time: tests replace it, nothing else asks the system. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

let current = systemClock;

export const clock: Clock = { now: () => current.now() };

export function setClock(replacement: Clock): void {
  current = replacement;
}
