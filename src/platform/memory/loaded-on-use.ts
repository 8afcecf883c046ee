import { createRequire } from 'node:module';
import { once } from '../../kernel/once.js';

const require = createRequire(import.meta.url);

/**
 * Returns a function that loads a package at its first call. Loaded at the start, a package that few requests need would
 * cost each start time and each idle process memory. A caller that can wait uses `await import()` instead.
 */
export function loadedOnUse<T>(name: string): () => T {
  return once(() => require(name) as T);
}
