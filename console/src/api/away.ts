import { useSyncExternalStore } from 'react';
import { ApiError } from './client.js';
import { queries } from './queries.js';

const cache = queries.getQueryCache();

function firstOfAway(): Error | null {
  const failed = cache.getAll().find((query) => query.isActive() && isAway(query.state.error));
  return failed?.state.error ?? null;
}

/** Whether a page waits for a service that did not answer, or for which a proxy did, and asks it again. */
export function isAway(error: unknown): boolean {
  return error instanceof ApiError && error.isRepeated;
}

/** Returns why parts of the page cannot be read while the service is away. One banner says so for all of them. */
export function useAway(): Error | null {
  return useSyncExternalStore((onChange) => cache.subscribe(onChange), firstOfAway);
}
