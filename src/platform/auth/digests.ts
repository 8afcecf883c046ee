import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';

/** Makes the digest of a key that is stored. It is useless without the pepper, which the database never sees. */
@Injectable()
export class Digests {
  constructor(private readonly settings: Settings) {}

  of(keyValue: string): string {
    return createHmac('sha256', this.settings.SLIPWAY_PEPPER).update(keyValue).digest('base64url');
  }
}
