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
 * Circuit breakers, one for each model. After several failures in a row, calls are refused for a while; then a single
 * call tries the model again. Each process counts on its own, in memory.
 */
@Injectable()
export class Breakers {
  private readonly breakers = new Map<string, Breaker>();

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
    breaker.openUntil = now + OPEN_MS;
  }

  succeeded(modelId: string): void {
    this.breakers.delete(modelId);
  }

  /**
   * Counts a failure, unless the provider refused this one request. Such a refusal says nothing about other requests.
   */
  failed(modelId: string, { isOfRequest }: ModelFailure): void {
    if (isOfRequest) return this.succeeded(modelId);
    const failures = (this.breakers.get(modelId)?.failures ?? 0) + 1;
    this.breakers.set(modelId, { failures, openUntil: clock.now().getTime() + OPEN_MS });
  }
}
