import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';
import { isKeyValue } from '../../kernel/key-format.js';
import { roleInInstallation } from '../../kernel/roles.js';
import { Settings } from '../config/settings.js';
import type { AdminActor } from '../../kernel/actor.js';
import { authErrors, KINDS_OF_KEYS } from './auth.errors.js';
import { Digests } from './digests.js';
import { KeyDirectory } from './key-directory.js';

/** Authenticates administration keys: the one in the settings, and named ones. */
@Injectable()
export class AdminKeyStrategy extends PassportStrategy(HeaderAPIKeyStrategy, 'admin-key') {
  constructor(
    private readonly keys: KeyDirectory,
    private readonly digests: Digests,
    private readonly settings: Settings,
  ) {
    super({ header: 'x-api-key', prefix: '' }, false);
  }

  async validate(value: string): Promise<AdminActor> {
    if (this.isSettingsKey(value)) return { kind: 'admin', keyId: null, name: null, ...roleInInstallation('owner') };
    if (!isKeyValue('swa_', value)) throw authErrors.keyInvalid(KINDS_OF_KEYS.administration);
    const actor = await this.keys.findAdminKey(this.digests.of(value));
    if (!actor) throw authErrors.keyInvalid(KINDS_OF_KEYS.administration);
    return actor;
  }

  /** Returns the digest of the key in the settings, or null if there is none. */
  settingsKeyDigest(): string | null {
    const { SLIPWAY_ADMIN_KEY: key } = this.settings;
    return key ? this.digests.of(key) : null;
  }

  private isSettingsKey(value: string): boolean {
    const expected = this.settingsKeyDigest();
    return expected !== null && timingSafeEqual(Buffer.from(this.digests.of(value)), Buffer.from(expected));
  }
}
