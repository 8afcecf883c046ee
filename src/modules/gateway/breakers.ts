import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import { Notifications } from '../../platform/redis/notifications.js';
import { gatewayErrors } from './gateway.errors.js';
import type { ModelFailure } from './model-failure.js';

const FAILURES_TO_OPEN = 5;
const OPEN_MS = 10_000;

/** The topic of the notifications with which processes share their breakers. */
const TOPIC = 'breakers';

/** The failures of a model in a row, as a process reports them to the others. */
interface Report {
  modelId: string;
  failures: number;
}

interface Breaker {
  failures: number;
  openUntil: number;
}

/**
 * Circuit breakers, one for each model. After several failures in a row, calls are refused for a while; then a single
 * call tries the model again. Processes report failures to one another, so that each of them does not need failures of
 * its own. While Redis is unavailable, each process counts alone.
 */
@Injectable()
export class Breakers implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly breakers = new Map<string, Breaker>();
  private readonly stopping = new AbortController();
  private following: Promise<void> = Promise.resolve();

  constructor(private readonly notifications: Notifications) {}

  onApplicationBootstrap(): void {
    this.following = this.followReports();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.following;
  }

  /** Throws an error while the breaker is open. After that time, it admits one call, which decides for all others. */
  admit(modelId: string): void {
    const breaker = this.breakers.get(modelId);
    if (!breaker || breaker.failures < FAILURES_TO_OPEN) return;
    const now = clock.now().getTime();
    if (now < breaker.openUntil) {
      const retryAfter = Math.ceil((breaker.openUntil - now) / 1000);
      const reason = 'has failed several times in a row';
      throw gatewayErrors.modelUnavailable({ reason }, { details: { reason }, retryAfter });
    }
    // The other processes leave the trial to this one.
    this.report({ modelId, failures: breaker.failures });
  }

  succeeded(modelId: string): void {
    if (this.breakers.has(modelId)) this.report({ modelId, failures: 0 });
  }

  /** Counts a failure of the provider. One that refuses a call has answered it, and a pause would not mend that. */
  failed(modelId: string, { atFault }: ModelFailure): void {
    if (atFault !== 'provider') return this.succeeded(modelId);
    this.report({ modelId, failures: (this.breakers.get(modelId)?.failures ?? 0) + 1 });
  }

  private report(report: Report): void {
    this.apply(report);
    this.notifications.notify(TOPIC, report);
  }

  /** The reports of this process arrive here too. Applying one again does no harm, because they stay in order. */
  private async followReports(): Promise<void> {
    const { signal } = this.stopping;
    try {
      for await (const mailbox of this.notifications.follow<Report>(TOPIC, { signal })) {
        for (const report of mailbox.all()) this.apply(report);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /**
   * The time begins with the arrival of the report, so that it does not depend on the clocks of two machines. A process
   * that has missed reports counts fewer failures, which must not close the breakers of the others.
   */
  private apply({ modelId, failures }: Report): void {
    if (failures === 0) return void this.breakers.delete(modelId);
    const known = this.breakers.get(modelId)?.failures ?? 0;
    this.breakers.set(modelId, { failures: Math.max(known, failures), openUntil: clock.now().getTime() + OPEN_MS });
  }
}
