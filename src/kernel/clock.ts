/** The only source of time. Tests replace it, and no other code asks the system. */
export interface Clock {
  now(): Date;
}

let correctionMs = 0;

export const systemClock: Clock = { now: () => new Date(machineTime().getTime() + correctionMs) };

let current = systemClock;

export const clock: Clock = { now: () => current.now() };

export function setClock(replacement: Clock): void {
  current = replacement;
}

/** The time by the machine's own clock, without a correction. */
export function machineTime(): Date {
  return new Date();
}

/** Adds this to the machine's time, because its clock is wrong. */
export function correctClock(milliseconds: number): void {
  correctionMs = milliseconds;
}
