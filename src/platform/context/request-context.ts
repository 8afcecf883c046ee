import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Caller } from '../../kernel/actor.js';
import type { Access } from '../route/route-description.js';

type Stop = (reason: Error) => void;

/** What belongs to one HTTP request from its first byte to its last. */
export class RequestContext {
  /** What it asked for, as documented: the path has `{name}` for a parameter. */
  route?: { readonly verb: string; readonly path: string };
  /** Made by platform/database when the request first asks for data. */
  entityManager?: EntityManager;
  /** Who asks, once the credential is checked. */
  actor?: Caller;
  /** What the route asks of its caller, once that is found to be permitted. */
  access?: Access;
  /** When that check began, in milliseconds of this process. */
  keyReadAt = 0;

  private abortedFor: Error | undefined;
  private controller: AbortController | undefined;
  private readonly stops = new Set<Stop>();

  constructor(
    readonly requestId: string,
    /** The client's own `x-request-id`, where it sent a usable one. */
    readonly correlationId: string | undefined,
  ) {}

  /** The client has gone away, or the key was revoked: whoever works for this request, stops. */
  abort(reason: Error): void {
    if (this.abortedFor) return;
    this.abortedFor = reason;
    for (const stop of this.stops) stop(reason);
  }

  get isAborted(): boolean {
    return this.abortedFor !== undefined;
  }

  throwIfAborted(): void {
    if (this.abortedFor) throw this.abortedFor;
  }

  /** Calls it when the request is aborted from now on, until what is returned is called. */
  onAbort(stop: Stop): () => void {
    this.stops.add(stop);
    return () => void this.stops.delete(stop);
  }

  /** For what takes only an AbortSignal. Made when first asked for: most requests end without. */
  get signal(): AbortSignal {
    this.controller ??= this.makeController();
    return this.controller.signal;
  }

  private makeController(): AbortController {
    const controller = new AbortController();
    this.onAbort((reason) => controller.abort(reason));
    if (this.abortedFor) controller.abort(this.abortedFor);
    return controller;
  }

  /** What the work comes to; or, at once when the request is aborted, the reason, whatever the work still waits for. */
  unlessAborted<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const over = this.onAbort(reject);
      void work.then(resolve, reject).finally(over);
      if (this.abortedFor) reject(this.abortedFor);
    });
  }
}

const storage = new AsyncLocalStorage<RequestContext>();

export function currentRequest(): RequestContext | undefined {
  return storage.getStore();
}

export function runInRequest<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

/** Work that goes on whatever becomes of the request it began in. */
export function outsideRequest<T>(work: () => T): T {
  return storage.exit(work);
}
