import { UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type Page, toPage } from '../../kernel/page.js';
import type { Permission, PermissionMap } from '../../kernel/permissions.js';
import type { Actor, KeyActor } from '../../platform/auth/actor.js';
import { KeyRevocations } from '../../platform/auth/key-revocations.js';
import { Database } from '../../platform/database/database.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { accessErrors } from './access.errors.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { Scope } from './scope.entity.js';
import { ScopeRepository } from './scope.repository.js';

interface ScopeChange {
  name?: string | undefined;
  description?: string | undefined;
  permissions?: Partial<PermissionMap> | undefined;
  ceiling?: readonly Permission[] | null | undefined;
}

/** What groups of keys may do: read and set by their own keys up to a ceiling, and by administrators. */
@Injectable()
export class ScopesService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly scopes: ScopeRepository,
    private readonly keys: ApiKeyRepository,
    private readonly revocations: KeyRevocations,
  ) {}

  async read(appId: string, scopeId: string): Promise<Scope> {
    const app = await this.tenancy.app(appId);
    return found(await this.scopes.inApp(app.id, scopeId));
  }

  /** By a key: its own scope, and no higher than the ceiling. */
  setPermissions(actor: KeyActor, scopeId: string, permissions: Partial<PermissionMap>): Promise<Scope> {
    return this.database.transaction(actor, async () => {
      const scope = found(await this.scopes.lockInApp(actor.appId, scopeId));
      if (scope.id !== actor.scopeId) throw accessErrors.scopeMismatch();
      scope.change(permissions);
      return scope;
    });
  }

  create(actor: Actor, appId: string, wish: ConstructorParameters<typeof Scope>[1]): Promise<Scope> {
    return this.database.transaction(actor, async (em) => {
      const scope = new Scope(await this.tenancy.app(appId), wish);
      em.persist(scope);
      await em.flush().catch(refuseDuplicateName);
      return scope;
    });
  }

  async list(appId: string, cursor: string | undefined, limit: number): Promise<Page<Scope>> {
    const app = await this.tenancy.app(appId);
    return toPage(await this.scopes.listAfter(app.id, cursor, limit), limit);
  }

  change(actor: Actor, appId: string, scopeId: string, change: ScopeChange): Promise<Scope> {
    return this.database.transaction(actor, async (em) => {
      const app = await this.tenancy.app(appId);
      const scope = found(await this.scopes.lockInApp(app.id, scopeId));
      scope.rename(change.name ?? scope.name, change.description ?? scope.description);
      scope.change(change.permissions ?? {}, change.ceiling);
      await em.flush().catch(refuseDuplicateName);
      return scope;
    });
  }

  /** Revokes the scope's keys first: when it returns, nothing runs with any of them. */
  async delete(actor: Actor, appId: string, scopeId: string): Promise<void> {
    const keyIds = await this.database.transaction(actor, async () => {
      const app = await this.tenancy.app(appId);
      const scope = found(await this.scopes.lockInApp(app.id, scopeId));
      const keys = await this.keys.ofScope(scope.id);
      for (const key of keys) key.revoke();
      return keys.map(({ id }) => id);
    });
    await this.revocations.finish(keyIds);
    await this.database.transaction(actor, (em) => em.nativeDelete(Scope, { id: scopeId as Scope['id'] }));
  }
}

function found(scope: Scope | null): Scope {
  if (!scope) throw accessErrors.scopeNotFound();
  return scope;
}

function refuseDuplicateName(error: unknown): never {
  throw error instanceof UniqueConstraintViolationException ? accessErrors.duplicateScopeName() : error;
}
