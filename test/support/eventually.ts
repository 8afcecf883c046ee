import { inspect } from 'node:util';

const PATIENCE_MS = 20_000;
const PAUSE_MS = 10;

/** The timer is taken before a test replaces the timers. */
const { setTimeout: startTimer } = globalThis;

/** Reads until the value is the wanted one, and returns it. After twenty seconds it fails with the last value. */
export async function eventually<T>(
  read: () => T | Promise<T>,
  isWanted: (value: T) => boolean = Boolean,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    if (performance.now() > deadline) {
      throw new Error(
        `Waited ${patienceMs} ms for ${isWanted.toString()}. The last value was ${inspect(value, { depth: 5 })}`,
      );
    }
    await new Promise((resolve) => startTimer(resolve, PAUSE_MS));
  }
}
