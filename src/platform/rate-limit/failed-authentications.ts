import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { SlipwayError } from '../../kernel/errors.js';
import { networkOf } from './network-of.js';
import { RateCounter } from './rate-counter.js';

/**
 * Counts only refused credentials, so that an attacker who guesses keys slows down no caller with a valid key at the
 * same address.
 */
@Injectable()
export class FailedAuthentications {
  constructor(private readonly counter: RateCounter) {}

  async countAndRefuse(error: unknown, address: string, response: Response): Promise<void> {
    const isRefusal = error instanceof SlipwayError && error.spec.status === 401;
    if (isRefusal) await this.counter.count('FAILED_AUTH', networkOf(address), response);
  }
}
