import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { SlipwayError } from '../../kernel/errors.js';
import { RateCounter } from './rate-counter.js';

/** Only refused credentials count, so a guesser slows nobody down who shares the address and has a good key. */
@Injectable()
export class FailedAuthentications {
  constructor(private readonly counter: RateCounter) {}

  async countAndRefuse(error: unknown, address: string, response: Response): Promise<void> {
    const isRefusal = error instanceof SlipwayError && error.spec.status === 401;
    if (isRefusal) await this.counter.count('FAILED_AUTH', address, response);
  }
}
