import { timingSafeEqual } from 'node:crypto';
import type { AdminActor } from '../../kernel/actor.js';
import { isKeyValue } from '../../kernel/key-format.js';
import { roleInInstallation } from '../../kernel/roles.js';
import { Settings } from '../config/settings.js';
import { AdminIdentity, IdentifiesAdministrators, type IdentifiedRequest } from './admin-identity.js';
import { authErrors, KINDS_OF_KEYS } from './auth.errors.js';
import { sentKey } from './credential.js';
import { Digests } from './digests.js';
import { KeyDirectory } from './key-directory.js';

export const ADMIN_KEYS = 'key';

type KnownAdminKey = Pick<AdminActor, 'keyId' | 'name' | 'role' | 'projectRoles'>;

const invalid = () => authErrors.keyInvalid(KINDS_OF_KEYS.administration);

/** Knows administration keys: the one in the settings, and named ones. */
@IdentifiesAdministrators({ name: ADMIN_KEYS, title: 'Administration key' })
export class AdminKeyIdentity extends AdminIdentity {
  constructor(
    private readonly keys: KeyDirectory,
    private readonly digests: Digests,
    private readonly settings: Settings,
  ) {
    super();
  }

  /** Sessions of named keys end with their keys instead. */
  basis(): string | null {
    return this.settings.SLIPWAY_ADMIN_KEY ?? null;
  }

  /** Returns the key that a request has, or null if it has none. A key is no person, so `ofRequest` does not return it. */
  async keyIn({ headers }: IdentifiedRequest): Promise<KnownAdminKey | null> {
    const value = sentKey([headers['x-api-key'], headers.apikey], invalid);
    if (value === null) return null;
    if (this.isSettingsKey(value)) return { keyId: null, name: null, ...roleInInstallation('owner') };
    const known = isKeyValue('swa_', value) ? await this.keys.findAdminKey(this.digests.of(value)) : null;
    if (!known) throw invalid();
    return known;
  }

  private isSettingsKey(value: string): boolean {
    const expected = this.basis();
    const digests = [value, expected ?? ''].map((each) => Buffer.from(this.digests.of(each)));
    return expected !== null && timingSafeEqual(digests[0]!, digests[1]!);
  }
}
