import { readdir } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { join } from 'node:path';
import type { Answer, Form, Verb } from './client.js';
import type { Service } from './service.js';
import type { Tenant } from './actors.js';

/** The place in which a sample is made: a service, and a tenant whose key has all permissions. */
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
  /** The content of a body that is neither JSON nor a form. Its type is in the headers. */
  rawBody?: string;
  /** The type of a raw body, and the credentials of routes that no key of a tenant opens. */
  headers?: Record<string, string>;
  /** The address of another process of the service that answers, for public routes that settings turn on. */
  processUrl?: string;
}

/** `<module>.samples.ts` exports a sample for every route of the module, from which the route suite starts. */
export type Samples = Record<`${Verb} /${string}`, (world: World) => RouteRequest | Promise<RouteRequest>>;

/** `<module>.refusals.ts` exports a request for every error code of the module, which is refused with it. */
export type Refusals = Record<string, (world: World) => Promise<Answer>>;

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
