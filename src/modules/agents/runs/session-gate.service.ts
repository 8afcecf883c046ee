import { Injectable } from '@nestjs/common';
import { currentRequest } from '../../../platform/context/request-context.js';

/**
 * Admits requests to one session one after the other, before they take a database connection. The lock on the session's
 * row would order them as well, but each waiting transaction occupies a connection, so many requests to one session
 * would leave none for other sessions. The wait for a row lock also ends with a refusal after two seconds.
 */
@Injectable()
export class SessionGate {
  private readonly lastOf = new Map<string, Promise<unknown>>();

  /** Must not be called within a transaction, because the requests before may need the connection that it occupies. */
  async pass<T>(session: string, work: () => Promise<T>): Promise<T> {
    const result = this.after(this.lastOf.get(session), work);
    const settled = result.catch(() => undefined);
    this.lastOf.set(session, settled);
    try {
      return await result;
    } finally {
      if (this.lastOf.get(session) === settled) this.lastOf.delete(session);
    }
  }

  private async after<T>(previous: Promise<unknown> | undefined, work: () => Promise<T>): Promise<T> {
    await previous;
    currentRequest()?.throwIfAborted();
    return work();
  }
}
