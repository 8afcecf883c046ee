/** The only source of time. Tests replace it, and no other code asks the system. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

let current = systemClock;

export const clock: Clock = { now: () => current.now() };

export function setClock(replacement: Clock): void {
  current = replacement;
}
