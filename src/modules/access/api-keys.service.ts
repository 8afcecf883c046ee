import { Injectable } from '@nestjs/common';
import type { Actor } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { newKeyValue } from '../../kernel/key-format.js';
import type { Page } from '../../kernel/page.js';
import { Digests } from '../../platform/auth/digests.js';
import { KeyChanges } from '../../platform/auth/key-changes.js';
import { Settings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import { Events } from '../../platform/events/events.js';
import type { App } from '../tenancy/app.entity.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { apiKeyList, type ApiKeysRequest } from './api-key.list.js';
import { accessErrors } from './access.errors.js';
import { ApiKeyCreated, ApiKeyRotated, payloadOf } from './access.events.js';
import { ApiKey, type ApiKeyChange } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { RevocationsService } from './revocations.service.js';
import { isCeilingHigher, type Scope } from './scope.entity.js';
import { ScopeRepository } from './scope.repository.js';

export interface KeyProperties {
  scopeName: string;
  keyName: string;
  expiresAt: Date | null;
}

export interface NewKey {
  key: ApiKey;
  /** The caller sees it once, and it is not stored. */
  value: string;
}

/** Creates, rotates and revokes keys, for administrators and for keys with the permission to do so. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly scopes: ScopeRepository,
    private readonly keys: ApiKeyRepository,
    private readonly digests: Digests,
    private readonly revocations: RevocationsService,
    private readonly changes: KeyChanges,
    private readonly settings: Settings,
    private readonly events: Events,
  ) {}

  create(actor: Actor, appId: Id<'app'>, { scopeName, keyName, expiresAt }: KeyProperties): Promise<NewKey> {
    return this.database.transaction(actor, async (tx) => {
      const app = await this.tenancy.app(appId);
      const scope = await this.scopes.lockByName(app.id, scopeName);
      if (!scope) throw accessErrors.scopeNotFound();
      refuseHigherCeiling(actor, scope);
      await this.refuseAboveLimit(scope);

      const key = new ApiKey(scope, keyName, expiresAt);
      tx.em.persist(key);
      await this.events.publish(tx, ApiKeyCreated, payloadOf(app, key));
      return { key, value: this.addNewValue(key) };
    });
  }

  /** Gives the key a new value. The previous values keep working for `graceSeconds`. */
  rotate(actor: Actor, appId: Id<'app'>, keyId: Id<'apiKey'>, graceSeconds: number): Promise<NewKey> {
    return this.changes.make([keyId], actor, async (tx) => {
      await tx.ask(this.keys.lockForChange(keyId));
      const app = await this.tenancy.app(appId);
      const key = await this.liveIn(app, keyId);
      if (actor.kind === 'key' && actor.scopeId !== key.scope.id) throw accessErrors.scopeMismatch();
      key.retireValues(new Date(clock.now().getTime() + graceSeconds * 1000));
      await this.events.publish(tx, ApiKeyRotated, payloadOf(app, key));
      return { key, value: this.addNewValue(key) };
    });
  }

  /** Returns when no request runs with the key any more, in any process, and its row is deleted. */
  async revoke(actor: Actor, appId: Id<'app'>, keyId: Id<'apiKey'>): Promise<void> {
    await this.database.transaction(actor, async (tx) => {
      const app = await this.tenancy.app(appId);
      const key = await this.keys.inApp(app.id, keyId);
      if (!key) throw accessErrors.keyNotFound();
      refuseHigherCeiling(actor, key.scope);
      await this.revocations.beginOfApiKey(tx, app, key);
    });
    await this.revocations.finish([keyId]);
  }

  async list(appId: Id<'app'>, request: ApiKeysRequest): Promise<Page<ApiKey>> {
    const app = await this.tenancy.app(appId);
    return apiKeyList.page(this.keys, { scope: { app }, revokedAt: null }, request);
  }

  async read(appId: Id<'app'>, keyId: Id<'apiKey'>): Promise<ApiKey> {
    return this.liveIn(await this.tenancy.app(appId), keyId);
  }

  change(actor: Actor, appId: Id<'app'>, keyId: Id<'apiKey'>, change: ApiKeyChange): Promise<ApiKey> {
    return this.changes.make([keyId], actor, async () => {
      const key = await this.read(appId, keyId);
      key.change(change);
      return key;
    });
  }

  private async liveIn(app: App, keyId: Id<'apiKey'>): Promise<ApiKey> {
    const key = await this.keys.liveInApp(app.id, keyId);
    if (!key) throw accessErrors.keyNotFound();
    return key;
  }

  private addNewValue(key: ApiKey): string {
    const value = newKeyValue('sw_');
    key.addValue(value, this.digests.of(value));
    return value;
  }

  private async refuseAboveLimit(scope: Scope): Promise<void> {
    const limit = this.settings.API_KEYS_PER_SCOPE;
    if ((await this.keys.countLive(scope.id)) >= limit) throw accessErrors.keyLimitReached({ limit });
  }
}

/** A key may neither create nor revoke keys whose scope could get more permissions than its own scope. */
function refuseHigherCeiling(actor: Actor, scope: Scope): void {
  if (actor.kind === 'key' && isCeilingHigher(scope.ceiling, actor.ceiling)) throw accessErrors.permissionCeiling();
}
