import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Caller } from '../../kernel/actor.js';
import type { Access } from '../../kernel/permissions.js';
import { giveWay } from '../../kernel/turns.js';

/** Each step of working on a body up to this size takes a moment. */
const LARGE_BYTES = 256 * 1024;

type Stop = (reason: Error) => void;

/** The state of one HTTP request from its first byte to its last. */
export class RequestContext {
  /** The route as documented: the path has `{name}` for a parameter. */
  route?: { readonly verb: string; readonly path: string };
  /** The entity manager, which platform/database makes when the request first needs data. */
  entityManager?: EntityManager;
  /** The caller, once the credential is checked. */
  actor?: Caller;
  /** The project in which an administrator acts, on routes where it decides about the administrator's rights. */
  projectId: string | undefined;
  /** Whether the ids in the path are those of a project that the caller does not see. */
  hidesPathIds = false;
  /** The access that the route requires, once the caller is known to have it. */
  access?: Access;
  /** When the check of the credential began, in milliseconds of this process. */
  keyReadAt = 0;

  /** The bytes of the body, unless it is received as a stream. */
  bodyBytes = 0;

  private abortedFor: Error | undefined;
  private controller: AbortController | undefined;
  private readonly stops = new Set<Stop>();

  constructor(
    readonly requestId: string,
    /** The client's own `x-request-id`, if it sent a usable one. */
    readonly correlationId: string | undefined,
  ) {}

  /** Stops all work for this request, because its client has left or its key was revoked. */
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

  /** Serves others between two steps of working on a large body, each of which takes long. */
  async giveWay(): Promise<void> {
    if (this.bodyBytes > LARGE_BYTES) await giveWay();
  }

  /** Calls `stop` when the request is aborted from now on. The returned function ends that. */
  onAbort(stop: Stop): () => void {
    this.stops.add(stop);
    return () => void this.stops.delete(stop);
  }

  /**
   * The signal for APIs that take only an AbortSignal. It is made on first use, because most requests never need it.
   */
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

  /** Resolves with the result of the work, or rejects at once with the reason when the request is aborted. */
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

/** Runs work that goes on whatever becomes of the request in which it began. */
export function outsideRequest<T>(work: () => T): T {
  return storage.exit(work);
}
