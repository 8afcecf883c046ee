/**
 * What transactions lock, in the order in which every transaction takes its locks: two transactions that took them in
 * different orders could wait for each other until one is refused. The target of dock jobs, a tool or a model, comes early:
 * deleting a tool locks it, and then ends its runs.
 */
export const LOCKS = ['key', 'target', 'session', 'agentRun', 'toolRun', 'job', 'ledger'] as const;
export type LockName = (typeof LOCKS)[number];

/** Whether a transaction that has taken some locks may now take one more: those it has, it may take again. */
export function mayTake(lock: LockName, taken: ReadonlySet<LockName>): boolean {
  return taken.has(lock) || [...taken].every((other) => LOCKS.indexOf(other) < LOCKS.indexOf(lock));
}
