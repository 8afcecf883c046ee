import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Caller } from '../../kernel/actor.js';

/** What belongs to one HTTP request from its first byte to its last. */
export interface RequestContext {
  readonly requestId: string;
  /** The client's own `x-request-id`, where it sent a usable one. */
  readonly correlationId: string | undefined;
  /** Aborted when the client goes away or the key is revoked: whoever waits, stops. */
  readonly abort: AbortController;
  /** Made by platform/database when the request first asks for data. */
  entityManager?: EntityManager;
  /** Who asks, once the credential is checked. */
  actor?: Caller;
}

const storage = new AsyncLocalStorage<RequestContext>();

export function currentRequest(): RequestContext | undefined {
  return storage.getStore();
}

export function runInRequest<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}
