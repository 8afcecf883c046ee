import { Injectable } from '@nestjs/common';
import { isIP } from 'node:net';
import type { Response } from 'express';
import { SlipwayError } from '../../kernel/errors.js';
import { RateCounter } from './rate-counter.js';

/** Only refused credentials count, so a guesser slows nobody down who shares the address and has a good key. */
@Injectable()
export class FailedAuthentications {
  constructor(private readonly counter: RateCounter) {}

  async countAndRefuse(error: unknown, address: string, response: Response): Promise<void> {
    const isRefusal = error instanceof SlipwayError && error.spec.status === 401;
    if (isRefusal) await this.counter.count('FAILED_AUTH', networkOf(address), response);
  }
}

/** Whom an address stands for: an IPv6 /64 is one customer's, a port or a mapped spelling changes nothing. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1');
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head.split(':').filter(Boolean);
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter(Boolean).length;
  return [...groups, ...Array<string>(missing).fill('0'), ...(tail ?? '').split(':')].slice(0, 4).join(':');
}
