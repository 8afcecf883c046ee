import type { Tenant } from './actors.js';
import type { Answer, Form, Verb } from './client.js';
import type { Service } from './service.js';

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
