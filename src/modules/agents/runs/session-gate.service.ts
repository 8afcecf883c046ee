import { Injectable } from '@nestjs/common';
import { currentRequest } from '../../../platform/context/request-context.js';

/**
 * Lets requests that add to one session in one after the other, before they hold a connection. The session's row would
 * do so too, but everybody who waits there has a connection, so that a crowd in one session leaves none for others; and
 * whoever waits there for two seconds is refused, however little is in line.
 */
@Injectable()
export class SessionGate {
  private readonly lastOf = new Map<string, Promise<unknown>>();

  /** Never within a transaction: who is before may need the connection that it has. */
  async pass<T>(session: string, work: () => Promise<T>): Promise<T> {
    const mine = this.after(this.lastOf.get(session), work);
    const over = mine.catch(() => undefined);
    this.lastOf.set(session, over);
    try {
      return await mine;
    } finally {
      if (this.lastOf.get(session) === over) this.lastOf.delete(session);
    }
  }

  private async after<T>(before: Promise<unknown> | undefined, work: () => Promise<T>): Promise<T> {
    await before;
    currentRequest()?.throwIfAborted();
    return work();
  }
}
