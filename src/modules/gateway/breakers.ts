import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import { gatewayErrors } from './gateway.errors.js';
import type { ModelFailure } from './model-failure.js';

const FAILURES_TO_OPEN = 5;
const OPEN_MS = 10_000;

interface Breaker {
  failures: number;
  openUntil: number;
}

/**
 * Spares a model that fails again and again: for a while nobody calls it, then one call tries. Each process counts for
 * itself, and forgets when it ends.
 */
@Injectable()
export class Breakers {
  private readonly breakers = new Map<string, Breaker>();

  /** Refuses while the model rests. The first to ask after that tries for all. */
  admit(modelId: string): void {
    const breaker = this.breakers.get(modelId);
    if (!breaker || breaker.failures < FAILURES_TO_OPEN) return;
    const now = clock.now().getTime();
    if (now < breaker.openUntil) {
      const retryAfter = Math.ceil((breaker.openUntil - now) / 1000);
      const reason = 'has failed several times in a row';
      throw gatewayErrors.modelUnavailable({ reason }, { details: { reason }, retryAfter });
    }
    breaker.openUntil = now + OPEN_MS;
  }

  succeeded(modelId: string): void {
    this.breakers.delete(modelId);
  }

  /** A refusal of one request says nothing of the next; only what would meet them all counts. */
  failed(modelId: string, { isOfRequest }: ModelFailure): void {
    if (isOfRequest) return this.succeeded(modelId);
    const failures = (this.breakers.get(modelId)?.failures ?? 0) + 1;
    this.breakers.set(modelId, { failures, openUntil: clock.now().getTime() + OPEN_MS });
  }
}
