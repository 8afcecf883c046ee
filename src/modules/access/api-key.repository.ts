import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { type RowOf, selectedRow, someColumnsOf } from '../../platform/database/columns.js';
import { opaque, planned, sql } from '../../platform/database/sql.js';
import { row, rows, type Statement, write } from '../../platform/database/statement.js';
import { App } from '../tenancy/app.entity.js';
import { ApiKey, type ApiKeyRow, ApiKeyUse, ApiKeyValue } from './api-key.entity.js';
import { Scope } from './scope.entity.js';

/** For keys that are found by their ids. */
const NOT_REVOKED = opaque('revoked_at is null');

/** A key with all that authentication needs: its state, the permissions of its scope, and its project. */
export type CheckedKey = Pick<ApiKeyRow, 'id' | 'scopeId' | 'name' | 'expiresAt' | 'revokedAt'> &
  Pick<RowOf<ApiKeyValue>, 'validUntil'> &
  Pick<RowOf<Scope>, 'appId' | 'granted' | 'ceiling'> &
  Pick<RowOf<App>, 'projectId'>;

/** The permissions of a key at the moment when a transaction locks it. */
export type LockedKey = Pick<RowOf<Scope>, 'granted' | 'ceiling'> & { hasEnded: boolean };

export class ApiKeyRepository extends EntityRepository<ApiKey> {
  /** Finds revoked keys as well, because revoking a key again finishes a revocation that was interrupted. */
  inApp(appId: Id<'app'>, keyId: Id<'apiKey'>): Promise<ApiKey | null> {
    return this.findOne({ id: keyId, scope: { app: appId } }, { populate: ['scope'] });
  }

  liveInApp(appId: Id<'app'>, keyId: Id<'apiKey'>): Promise<ApiKey | null> {
    return this.findOne(
      { id: keyId, scope: { app: appId }, revokedAt: null },
      { populate: ['scope', 'use', 'values'] },
    );
  }

  /** Finds a key by the digest of one of its values, unless that value ended before `since`. */
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

  /** Locks the key, so that it is not deleted before the commit. Answers null if it does not exist or is revoked. */
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

  /**
   * Locks the key for a change of its values. Two rotations exclude each other, but transactions with an actor lock on
   * the key do not wait, because `FOR KEY SHARE` does not conflict with this lock.
   */
  lockForChange(keyId: Id<'apiKey'>): Statement<void> {
    return write(sql`select 1 from api_key where id = ${keyId} for no key update`).taking('key');
  }

  /** Answers which of the keys are not revoked. They may be API keys or administration keys. */
  stillValid(keyIds: readonly string[]): Statement<string[]> {
    const valid = rows<{ id: string }>(
      sql`select id from api_key where id = any(${keyIds}) and ${NOT_REVOKED}
          union all select id from admin_key where id = any(${keyIds}) and ${NOT_REVOKED}
          union all select id from console_session where id = any(${keyIds}) and ${NOT_REVOKED}`,
    );
    return valid.as((keys) => keys.map(({ id }) => id));
  }

  /** Waits for transactions with an actor lock on the key. It does nothing if the key is not revoked. */
  deleteRevoked(keyId: string): Statement<void> {
    return write(sql`delete from api_key where id = ${keyId} and revoked_at is not null`).taking('key');
  }

  /** Several processes together write at most once a minute. Nothing is written if the key has been deleted. */
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
}
