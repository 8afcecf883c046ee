let present: AbortSignal | null = null;

/** Runs what begins requests. They are cancelled with the signal, except those that begin after it first waits. */
export function withSignal<Result>(signal: AbortSignal | null, run: () => Result): Result {
  const before = present;
  present = signal;
  try {
    return run();
  } finally {
    present = before;
  }
}

/** Returns the signal of the query that is beginning requests now. */
export function presentSignal(): AbortSignal | null {
  return present;
}
