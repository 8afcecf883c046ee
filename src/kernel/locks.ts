/**
 * The locks of transactions, in the order in which every transaction takes them. Transactions that took them in
 * different orders could deadlock.
 *
 * The target of dock jobs, a tool or a model, comes early, because deleting a tool locks it and then ends its runs. The
 * row of a dock job comes before its target, because an attempt that ends locks it first, so that the job ends once.
 * `ledger` stands for the rows of calls and their sums.
 */
export const LOCKS = ['key', 'dockJob', 'target', 'session', 'agentRun', 'toolRun', 'job', 'ledger'] as const;
export type LockName = (typeof LOCKS)[number];

export function inOrder(locks: readonly LockName[]): LockName[] {
  return LOCKS.filter((lock) => locks.includes(lock));
}

/** Whether a transaction that has taken some locks may now take one more. It may take again those that it has. */
export function mayTake(lock: LockName, taken: ReadonlySet<LockName>): boolean {
  return taken.has(lock) || [...taken].every((other) => LOCKS.indexOf(other) < LOCKS.indexOf(lock));
}
