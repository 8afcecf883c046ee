import { readdir } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { join } from 'node:path';
import type { Answer, Form, Verb } from './client.js';
import type { Service } from './service.js';
import type { Tenant } from './actors.js';

/** What a sample is made in: a service, and a tenant whose key may do everything. */
export interface World {
  service: Service;
  tenant: Tenant;
}

/** The parts of a request that succeeds. */
export interface RouteRequest {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  form?: Form;
  /** Of what is neither; its type is among the headers. */
  rawBody?: string;
  /** What its body is, and of routes that no key of a tenant opens: what does. */
  headers?: Record<string, string>;
}

/** `<module>.samples.ts` exports one for every route of the module: what the route suite starts from. */
export type Samples = Record<`${Verb} /${string}`, (world: World) => RouteRequest | Promise<RouteRequest>>;

/** `<module>.refusals.ts` exports one for every error code of the module: a request that is refused with it. */
export type Refusals = Record<string, (world: World) => Promise<Answer>>;

export function allSamples(): Promise<Samples> {
  return collect<Samples>('samples');
}

export function allRefusals(): Promise<Refusals> {
  return collect<Refusals>('refusals');
}

const TESTS = fileURLToPath(new URL('..', import.meta.url));

/** The exports named `kind` of all files `<module>/<module>.<kind>.ts`, in one. */
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
