import { MINUTE_MS } from './durations.js';

/** Writes a time as an input of the browser takes it, which knows no offset from UTC. */
export function localOf(time: string): string {
  const offsetMs = new Date(time).getTimezoneOffset() * MINUTE_MS;
  return new Date(Date.parse(time) - offsetMs).toISOString().slice(0, -1);
}

/** Returns the time that a user has entered in the time of the browser. */
export function timeOf(local: string): string {
  return new Date(local).toISOString();
}
