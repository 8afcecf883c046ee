import { Injectable } from '@nestjs/common';
import type { Actor, KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import type { Page } from '../../kernel/page.js';
import type { PermissionMap } from '../../kernel/permissions.js';
import { KeyChanges } from '../../platform/auth/key-changes.js';
import { Database } from '../../platform/database/database.js';
import { scopeList, type ScopesRequest } from './scope.list.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { accessErrors } from './access.errors.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { RevocationsService } from './revocations.service.js';
import { type NewScope, Scope, type ScopeChange } from './scope.entity.js';
import { ScopeRepository } from './scope.repository.js';

/** Manages scopes. Administrators may change all of them, and a key the permissions of its own, up to the ceiling. */
@Injectable()
export class ScopesService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly scopes: ScopeRepository,
    private readonly keys: ApiKeyRepository,
    private readonly revocations: RevocationsService,
    private readonly changes: KeyChanges,
  ) {}

  async read(appId: Id<'app'>, scopeId: Id<'scope'>): Promise<Scope> {
    const app = await this.tenancy.app(appId);
    return found(await this.scopes.inApp(app.id, scopeId));
  }

  /** Lets a key set the permissions of its own scope, up to the ceiling. */
  setPermissions(
    actor: KeyActor,
    appId: Id<'app'>,
    scopeId: Id<'scope'>,
    permissions: Partial<PermissionMap>,
  ): Promise<Scope> {
    // Another scope is refused, and no process drops what it knows of it.
    const changing = scopeId === actor.scopeId ? [scopeId] : [];
    return this.changes.make(changing, actor, async () => {
      const scope = found(await this.scopes.lockInApp(appId, scopeId));
      if (scope.id !== actor.scopeId) throw accessErrors.scopeMismatch();
      scope.change({ permissions });
      return scope;
    });
  }

  create(actor: Actor, appId: Id<'app'>, newScope: NewScope): Promise<Scope> {
    return this.database.transaction(actor, async (tx) => {
      const scope = new Scope(await this.tenancy.app(appId), newScope);
      tx.em.persist(scope);
      return scope;
    });
  }

  async list(appId: Id<'app'>, request: ScopesRequest): Promise<Page<Scope>> {
    const app = await this.tenancy.app(appId);
    return scopeList.page(this.scopes, { app }, request);
  }

  change(actor: Actor, appId: Id<'app'>, scopeId: Id<'scope'>, change: ScopeChange): Promise<Scope> {
    return this.changes.make([scopeId], actor, async () => {
      const app = await this.tenancy.app(appId);
      const scope = found(await this.scopes.lockInApp(app.id, scopeId));
      scope.change(change);
      return scope;
    });
  }

  /** Revokes the scope's keys first, including those created meanwhile. When it returns, no request runs with any of them. */
  async delete(actor: Actor, appId: Id<'app'>, scopeId: Id<'scope'>): Promise<void> {
    let keyIds = await this.revokeKeysOrDelete(actor, appId, scopeId);
    while (keyIds.length > 0) {
      await this.revocations.finish(keyIds);
      keyIds = await this.revokeKeysOrDelete(actor, appId, scopeId);
    }
  }

  private revokeKeysOrDelete(actor: Actor, appId: Id<'app'>, scopeId: Id<'scope'>): Promise<Id<'apiKey'>[]> {
    return this.database.transaction(actor, async (tx) => {
      const app = await this.tenancy.app(appId);
      const scope = found(await this.scopes.lockInApp(app.id, scopeId));
      const keys = await this.keys.ofScope(scope.id);
      if (keys.length === 0) tx.em.remove(scope);
      for (const key of keys) await this.revocations.beginOfApiKey(tx, app, key);
      return keys.map(({ id }) => id);
    });
  }
}

function found(scope: Scope | null): Scope {
  if (!scope) throw accessErrors.scopeNotFound();
  return scope;
}
