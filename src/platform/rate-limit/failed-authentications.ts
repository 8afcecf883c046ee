import { Injectable } from '@nestjs/common';
import { SlipwayError } from '../../kernel/errors.js';
import { Settings } from '../config/settings.js';
import { RateCounter } from './rate-counter.js';
import { rateLimitErrors } from './rate-limit.errors.js';

/** Only refused credentials count, so a guesser slows nobody down who shares the address and has a good key. */
@Injectable()
export class FailedAuthentications {
  constructor(
    private readonly settings: Settings,
    private readonly counter: RateCounter,
  ) {}

  async count(address: string, error: unknown): Promise<void> {
    const limit = this.settings.RATE_LIMIT_FAILED_AUTH;
    if (limit === 0 || !(error instanceof SlipwayError) || error.spec.status !== 401) return;
    const { allowed, resetSeconds } = await this.counter.count('failed-auth', address, limit);
    if (!allowed) {
      throw rateLimitErrors.exceeded({ seconds: resetSeconds }, { headers: { 'retry-after': String(resetSeconds) } });
    }
  }
}
