import { AsyncLocalStorage } from 'node:async_hooks';

/** Is notified when work begins to wait for the network or a pause, and when it goes on. Waits may be nested. */
export interface Waiter {
  waitBegins(): void;
  waitEnds(): void;
}

const storage = new AsyncLocalStorage<Waiter>();

/** Runs work whose waits this waiter is notified of. */
export function withWaiter<T>(waiter: Waiter, work: () => T): T {
  return storage.run(waiter, work);
}

/**
 * Begins a wait whose length others decide and in which almost nothing is computed: a call over the network, or a
 * pause. The returned function ends it; calling that again does no harm.
 */
export function beginWaiting(): () => void {
  const waiter = storage.getStore();
  if (!waiter) return nothing;
  let isOver = false;
  waiter.waitBegins();
  return () => {
    if (isOver) return;
    isOver = true;
    waiter.waitEnds();
  };
}

/** Runs work that is such a wait as a whole. */
export async function waiting<T>(work: () => Promise<T>): Promise<T> {
  const endWait = beginWaiting();
  try {
    return await work();
  } finally {
    endWait();
  }
}

function nothing(): void {}
