import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';
import { clock } from '../../kernel/clock.js';
import { isKeyValue } from '../../kernel/key-format.js';
import type { KeyActor } from '../../kernel/actor.js';
import { authErrors, KINDS_OF_KEYS } from './auth.errors.js';
import { Digests } from './digests.js';
import { KeyDirectory } from './key-directory.js';
import { KnownKeys } from './known-keys.js';

/** Authenticates the API keys of projects. */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(HeaderAPIKeyStrategy, 'api-key') {
  constructor(
    private readonly keys: KeyDirectory,
    private readonly known: KnownKeys,
    private readonly digests: Digests,
  ) {
    super({ header: 'x-api-key', prefix: '' }, false);
  }

  async validate(value: string): Promise<KeyActor> {
    if (!isKeyValue('sw_', value)) throw authErrors.keyInvalid(KINDS_OF_KEYS.project);
    const known = await this.known.find(this.digests.of(value));
    if (!known || known.revoked) throw authErrors.keyInvalid(KINDS_OF_KEYS.project);
    if (known.usableUntil && known.usableUntil <= clock.now()) throw authErrors.keyExpired();
    this.keys.noteUse(known.actor.keyId);
    return known.actor;
  }
}
