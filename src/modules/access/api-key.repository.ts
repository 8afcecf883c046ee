import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { type RowOf, selectedRow, someColumnsOf } from '../../platform/database/columns.js';
import { pageById } from '../../platform/database/page-by-id.js';
import { planned, sql } from '../../platform/database/sql.js';
import { row, rows, type Statement, write } from '../../platform/database/statement.js';
import { App } from '../tenancy/app.entity.js';
import { ApiKey, type ApiKeyRow, ApiKeyUse, ApiKeyValue } from './api-key.entity.js';
import { Scope } from './scope.entity.js';

/** A key as its value is checked: with what its scope grants, and whose it is. */
export type CheckedKey = Pick<ApiKeyRow, 'id' | 'scopeId' | 'name' | 'expiresAt' | 'revokedAt'> &
  Pick<RowOf<ApiKeyValue>, 'validUntil'> &
  Pick<RowOf<Scope>, 'appId' | 'granted' | 'ceiling'> &
  Pick<RowOf<App>, 'projectId'>;

/** What a key may do at the moment when a transaction locks it. */
export type LockedKey = Pick<RowOf<Scope>, 'granted' | 'ceiling'> & { hasEnded: boolean };

export class ApiKeyRepository extends EntityRepository<ApiKey> {
  /** Also one whose revocation was begun and not ended: revoking it again ends it. */
  inApp(appId: Id<'app'>, keyId: Id<'apiKey'>): Promise<ApiKey | null> {
    return this.findOne({ id: keyId, scope: { app: appId } }, { populate: ['scope'] });
  }

  liveInApp(appId: Id<'app'>, keyId: Id<'apiKey'>): Promise<ApiKey | null> {
    return this.findOne(
      { id: keyId, scope: { app: appId }, revokedAt: null },
      { populate: ['scope', 'use', 'values'] },
    );
  }

  /** By the digest of one of its values, if that ended no earlier than `since`. */
  byValue(digest: string, since: Date): Statement<CheckedKey | null> {
    return row<CheckedKey>(
      planned`select ${someColumnsOf(ApiKey, ['id', 'scopeId', 'name', 'expiresAt', 'revokedAt'], 'k')},
                     ${someColumnsOf(ApiKeyValue, ['validUntil'], 'v')},
                     ${someColumnsOf(Scope, ['appId', 'granted', 'ceiling'], 's')},
                     ${someColumnsOf(App, ['projectId'], 'a')}
              from api_key_value v join api_key k on k.id = v.key_id
              join scope s on s.id = k.scope_id join app a on a.id = s.app_id
              where v.digest = ${digest} and (v.valid_until is null or v.valid_until > ${since})`,
    );
  }

  /** Keeps a key from being deleted before the commit. Null where it is revoked. */
  lockForUse(keyId: Id<'apiKey'>, digest: string, now: Date): Statement<LockedKey | null> {
    const locked = row<LockedKey>(
      planned`select least(k.expires_at, v.valid_until) <= ${now} as "hasEnded",
                     ${someColumnsOf(Scope, ['granted', 'ceiling'], 's')}
              from api_key k join scope s on s.id = k.scope_id
              left join api_key_value v on v.key_id = k.id and v.digest = ${digest}
              where k.id = ${keyId} and k.revoked_at is null for key share of k`,
    );
    return locked.taking('key');
  }

  /** For changing its values: others who would wait. Whoever acts with the key holds its row already and does not. */
  lockForChange(keyId: Id<'apiKey'>): Statement<void> {
    return write(sql`select 1 from api_key where id = ${keyId} for no key update`).taking('key');
  }

  /** Those that are not revoked, of keys with a scope and of the administration's. */
  stillValid(keyIds: readonly string[]): Statement<string[]> {
    const good = rows<{ id: string }>(
      sql`select id from api_key where id = any(${keyIds}) and revoked_at is null
          union all select id from admin_key where id = any(${keyIds}) and revoked_at is null`,
    );
    return good.as((keys) => keys.map(({ id }) => id));
  }

  /** Waits for those who hold the key. Does nothing where it is no key that was revoked. */
  deleteRevoked(keyId: string): Statement<void> {
    return write(sql`delete from api_key where id = ${keyId} and revoked_at is not null`).taking('key');
  }

  /** Of several processes one writes a minute. The key may be gone by now: then there is nothing to note. */
  noteUse(keyId: Id<'apiKey'>, at: Date): Statement<void> {
    return write(
      sql`insert into api_key_use ${selectedRow(ApiKeyUse, { keyId: sql`id`, lastUsedAt: at })}
          from api_key where id = ${keyId}
          on conflict (key_id) do update set last_used_at = excluded.last_used_at
          where api_key_use.last_used_at < excluded.last_used_at - interval '59 seconds'`,
    );
  }

  ofScope(scopeId: Id<'scope'>): Promise<ApiKey[]> {
    return this.find({ scope: scopeId });
  }

  countLive(scopeId: Id<'scope'>): Promise<number> {
    return this.count({ scope: scopeId, revokedAt: null });
  }

  page(appId: Id<'app'>, request: PageRequest): Promise<Page<ApiKey>> {
    return pageById<ApiKey>(this, { scope: { app: appId }, revokedAt: null }, request, ['scope', 'use']);
  }
}
