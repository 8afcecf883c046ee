import { AsyncLocalStorage } from 'node:async_hooks';

/** Hears when work begins to wait for others, and when it goes on. Waits may lie within one another. */
export interface Waiter {
  waits(): void;
  goesOn(): void;
}

const storage = new AsyncLocalStorage<Waiter>();

/** Work whose waits somebody wants to hear of. */
export function heardBy<T>(waiter: Waiter, work: () => T): T {
  return storage.run(waiter, work);
}

/**
 * Here begins what takes as long as somebody else likes and computes next to nothing here: a call over the network, a
 * pause. It lasts until what is returned is called; to call that again does no harm.
 */
export function beginWaiting(): () => void {
  const waiter = storage.getStore();
  if (!waiter) return nothing;
  let isOver = false;
  waiter.waits();
  return () => {
    if (isOver) return;
    isOver = true;
    waiter.goesOn();
  };
}

/** The same for as long as the work takes. */
export async function waiting<T>(work: () => Promise<T>): Promise<T> {
  const goOn = beginWaiting();
  try {
    return await work();
  } finally {
    goOn();
  }
}

function nothing(): void {}
