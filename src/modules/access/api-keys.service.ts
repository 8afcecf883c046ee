import { UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import { newKeyValue } from '../../kernel/key-format.js';
import { type Page, toPage } from '../../kernel/page.js';
import type { Actor } from '../../platform/auth/actor.js';
import { Digests } from '../../platform/auth/digests.js';
import { KeyRevocations } from '../../platform/auth/key-revocations.js';
import { Settings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import type { App } from '../tenancy/app.entity.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { accessErrors } from './access.errors.js';
import { ApiKey } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { aboveCeiling, type Scope } from './scope.entity.js';
import { ScopeRepository } from './scope.repository.js';

export interface NewKey {
  key: ApiKey;
  /** Shown to the caller once and kept nowhere. */
  value: string;
}

interface KeyWish {
  scopeName: string;
  keyName: string;
  expiresAt: string | undefined;
}

/** Making, rotating and revoking keys, for administrators and for keys that may. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly scopes: ScopeRepository,
    private readonly keys: ApiKeyRepository,
    private readonly digests: Digests,
    private readonly revocations: KeyRevocations,
    private readonly settings: Settings,
  ) {}

  create(actor: Actor, appId: string, wish: KeyWish): Promise<NewKey> {
    return this.database.transaction(actor, async (em) => {
      const app = await this.tenancy.app(appId);
      const scope = await this.scopes.lockByName(app.id, wish.scopeName);
      if (!scope) throw accessErrors.scopeNotFound();
      refuseBeyond(actor, scope);
      await this.refuseOneTooMany(scope);

      const key = new ApiKey(scope, wish.keyName, wish.expiresAt ? new Date(wish.expiresAt) : null);
      const value = newKeyValue('sw_');
      key.giveValue(value, this.digests.of(value));
      em.persist(key);
      await em.flush().catch(refuseDuplicateName);
      return { key, value };
    });
  }

  /** The same key under a new value. The values before it go on working for as long as `graceSeconds` says. */
  rotate(actor: Actor, appId: string, keyId: string, graceSeconds: number): Promise<NewKey> {
    return this.database.transaction(actor, async () => {
      const key = await this.liveKey(await this.tenancy.app(appId), keyId);
      if (actor.kind === 'key' && actor.scopeId !== key.scope.id) throw accessErrors.scopeMismatch();
      key.retireValues(new Date(clock.now().getTime() + graceSeconds * 1000));
      const value = newKeyValue('sw_');
      key.giveValue(value, this.digests.of(value));
      return { key, value };
    });
  }

  /** Returns when nothing runs with the key any more, in any process, and its row is gone. */
  async revoke(actor: Actor, appId: string, keyId: string): Promise<void> {
    const key = await this.database.transaction(actor, async () => {
      const app = await this.tenancy.app(appId);
      const found = await this.keys.inApp(app.id, keyId);
      if (!found) throw accessErrors.keyNotFound();
      refuseBeyond(actor, found.scope);
      found.revoke();
      return found;
    });
    await this.revocations.finish([key.id]);
  }

  async list(appId: string, cursor: string | undefined, limit: number): Promise<Page<ApiKey>> {
    const app = await this.tenancy.app(appId);
    return toPage(await this.keys.listAfter(app.id, cursor, limit), limit);
  }

  async read(appId: string, keyId: string): Promise<ApiKey> {
    return this.liveKey(await this.tenancy.app(appId), keyId);
  }

  change(
    actor: Actor,
    appId: string,
    keyId: string,
    change: { name?: string; expiresAt?: string | null },
  ): Promise<ApiKey> {
    return this.database.transaction(actor, async (em) => {
      const key = await this.liveKey(await this.tenancy.app(appId), keyId);
      if (change.name !== undefined) key.name = change.name;
      if (change.expiresAt !== undefined) key.expiresAt = change.expiresAt === null ? null : new Date(change.expiresAt);
      await em.flush().catch(refuseDuplicateName);
      return key;
    });
  }

  private async liveKey(app: App, keyId: string): Promise<ApiKey> {
    const key = await this.keys.liveInApp(app.id, keyId);
    if (!key) throw accessErrors.keyNotFound();
    return key;
  }

  private async refuseOneTooMany(scope: Scope): Promise<void> {
    const limit = this.settings.API_KEYS_PER_SCOPE;
    if ((await this.keys.countLive(scope.id)) >= limit) throw accessErrors.keyLimitReached({ limit });
  }
}

/** A key neither makes nor revokes keys that could be raised further than its own. */
function refuseBeyond(actor: Actor, scope: Scope): void {
  if (actor.kind !== 'key') return;
  const above =
    scope.ceiling === null && actor.ceiling !== null ? ['*'] : aboveCeiling(actor.ceiling, scope.ceiling ?? []);
  if (above.length > 0) throw accessErrors.permissionCeiling({}, { details: { above } });
}

function refuseDuplicateName(error: unknown): never {
  throw error instanceof UniqueConstraintViolationException ? accessErrors.duplicateKeyName() : error;
}
