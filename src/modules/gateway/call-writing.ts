import { Injectable } from '@nestjs/common';
import { SYSTEM } from '../../kernel/actor.js';
import { Database } from '../../platform/database/database.js';
import { Observing, type Report } from '../traces/observing.service.js';
import { type CallOrigin, type CallRecord, toMadeCall } from './call-record.js';

/** A second one need not wait for the first; with more, each would have less to commit at once. */
const WRITERS = 2;
const MOST_AT_ONCE = 100;

interface Ended {
  readonly report: Report;
  readonly isWritten: PromiseWithResolvers<void>;
}

/** Those of one app that have ended, and how many writers are at work on them. */
interface Queue {
  readonly origin: CallOrigin;
  readonly ended: Ended[];
  writers: number;
}

/**
 * Writes down what calls came to, by the service itself: a call that was made is written down, though its key was
 * revoked or its client left. Calls of an app that end while others are being written go together, with one commit:
 * it takes as long for many as for one.
 */
@Injectable()
export class CallWriting {
  private readonly queues = new Map<string, Queue>();

  constructor(
    private readonly database: Database,
    private readonly observing: Observing,
  ) {}

  /** Resolves once the call is in the ledger and in its trace. */
  write({ origin, alongside }: CallRecord, report: Report): Promise<void> {
    if (!alongside) return this.writeWithOthers(origin, report);
    const { projectId, appId = null } = origin;
    return this.database.apart(() =>
      this.observing.take(SYSTEM, projectId, appId, [report], (tx, [observed]) =>
        alongside(tx, toMadeCall(report, observed!)),
      ),
    );
  }

  private writeWithOthers(origin: CallOrigin, report: Report): Promise<void> {
    const name = `${origin.projectId} ${origin.appId}`;
    const queue = this.queues.get(name) ?? { origin, ended: [], writers: 0 };
    this.queues.set(name, queue);
    const isWritten = Promise.withResolvers<void>();
    queue.ended.push({ report, isWritten });
    if (queue.writers < WRITERS) void this.writeAll(name, queue);
    return isWritten.promise;
  }

  private async writeAll(name: string, queue: Queue): Promise<void> {
    queue.writers += 1;
    while (queue.ended.length > 0) await this.writeTogether(queue.origin, queue.ended.splice(0, MOST_AT_ONCE));
    queue.writers -= 1;
    if (queue.writers === 0) this.queues.delete(name);
  }

  /** What one of them cannot be written for must not cost the others. */
  private async writeTogether(origin: CallOrigin, ended: readonly Ended[]): Promise<void> {
    const reports = ended.map(({ report }) => report);
    try {
      await this.database.apart(() => this.observing.takeOwn(origin.projectId, origin.appId ?? null, reports));
      for (const { isWritten } of ended) isWritten.resolve();
    } catch (error) {
      if (ended.length === 1) ended[0]!.isWritten.reject(error);
      else await Promise.all(ended.map((one) => this.writeTogether(origin, [one])));
    }
  }
}
