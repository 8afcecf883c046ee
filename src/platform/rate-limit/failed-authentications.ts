import { Injectable } from '@nestjs/common';
import { isIP } from 'node:net';
import type { Response } from 'express';
import { SlipwayError } from '../../kernel/errors.js';
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

/**
 * Returns the network that an address belongs to. An IPv6 /64 belongs to one customer; a port or an IPv4-mapped
 * spelling changes nothing.
 */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1');
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head.split(':').filter(Boolean);
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter(Boolean).length;
  return [...groups, ...Array<string>(missing).fill('0'), ...(tail ?? '').split(':')].slice(0, 4).join(':');
}
