import { readdir } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { join } from 'node:path';
import type { Refusals, Samples } from './route-request.js';

export type { Refusals, RouteRequest, Samples, World } from './route-request.js';

export function allSamples(): Promise<Samples> {
  return collect<Samples>('samples');
}

export function allRefusals(): Promise<Refusals> {
  return collect<Refusals>('refusals');
}

const TESTS = fileURLToPath(new URL('..', import.meta.url));

/** Merges the exports named `kind` of all files `<module>/<module>.<kind>.ts`. */
async function collect<T extends object>(kind: string): Promise<T> {
  const files = (await readdir(TESTS, { recursive: true })).filter((file) => file.endsWith(`.${kind}.ts`)).sort();
  const parts = await Promise.all(
    files.map(async (file) => {
      const module = (await import(pathToFileURL(join(TESTS, file)).href)) as Record<string, T>;
      return Object.entries(module[kind] ?? {});
    }),
  );
  const entries = parts.flat();
  const names = entries.map(([name]) => name);
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  if (twice.length > 0) throw new Error(`More than one of the ${kind} for ${twice.join(', ')}`);
  return Object.fromEntries(entries) as T;
}
