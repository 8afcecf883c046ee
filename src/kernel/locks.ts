/**
 * The locks of transactions, in the order in which every transaction takes them. Transactions that took them in
 * different orders could deadlock.
 *
 * The target of dock jobs, a tool or a model, comes early, because deleting a tool locks it and then ends its runs.
 */
export const LOCKS = ['key', 'target', 'session', 'agentRun', 'toolRun', 'job', 'ledger'] as const;
export type LockName = (typeof LOCKS)[number];

/** Whether a transaction that has taken some locks may now take one more. It may take again those that it has. */
export function mayTake(lock: LockName, taken: ReadonlySet<LockName>): boolean {
  return taken.has(lock) || [...taken].every((other) => LOCKS.indexOf(other) < LOCKS.indexOf(lock));
}
