import { MikroORM } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { AdminActor, KeyActor } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { type Permission, withImplied } from '../../kernel/permissions.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { KeyDirectory, type KnownKey } from '../../platform/auth/key-directory.js';
import { isLockTimeout } from '../../platform/database/database.errors.js';
import { planned, sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import { Log } from '../../platform/telemetry/log.js';
import { REMEMBER_ENDED_MS } from './api-key.entity.js';

interface KeyRow {
  keyId: Id<'apiKey'>;
  keyName: string;
  expiresAt: Date | null;
  revokedAt: Date | null;
  validUntil: Date | null;
  scopeId: Id<'scope'>;
  granted: Permission[];
  ceiling: Permission[] | null;
  appId: Id<'app'>;
  projectId: Id<'project'>;
}

const NOTE_USE_EVERY_MS = 60_000;
const NOTES_KEPT = 10_000;

/** What platform/auth asks about keys. In SQL, since every request passes here and needs no entity. */
@Injectable()
export class AccessKeyDirectory extends KeyDirectory {
  private readonly notedAt = new Map<string, number>();

  constructor(
    private readonly orm: MikroORM,
    private readonly statements: Statements,
    private readonly log: Log,
  ) {
    super();
  }

  async findKey(digest: string): Promise<KnownKey | null> {
    const [row] = await this.statements.run<KeyRow>(
      planned`select k.id as "keyId", k.name as "keyName", k.expires_at as "expiresAt", k.revoked_at as "revokedAt",
              v.valid_until as "validUntil", s.id as "scopeId", s.granted, s.ceiling, s.app_id as "appId",
              a.project_id as "projectId"
       from api_key_value v join api_key k on k.id = v.key_id
       join scope s on s.id = k.scope_id join app a on a.id = s.app_id
       where v.digest = ${digest} and (v.valid_until is null or v.valid_until > ${rememberedSince()})`,
    );
    return row ? toKnownKey(row, digest) : null;
  }

  async findAdminKey(digest: string): Promise<AdminActor | null> {
    const [row] = await this.statements.run<{ id: Id<'adminKey'>; name: string }>(
      'select id, name from admin_key where digest = $1 and revoked_at is null',
      [digest],
    );
    return row ? { kind: 'admin', keyId: row.id, name: row.name } : null;
  }

  async stillGood(keyIds: readonly string[]): Promise<Set<string>> {
    const rows = await this.statements.run<{ id: string }>(
      `select id from api_key where id = any($1) and revoked_at is null
       union all select id from admin_key where id = any($1) and revoked_at is null`,
      [keyIds],
    );
    return new Set(rows.map(({ id }) => id));
  }

  async forget(keyIds: readonly string[], withinMs: number): Promise<void> {
    const em = this.orm.em.fork({ disableContextResolution: true });
    const deletion = em.transactional(async (tx) => {
      await this.statements.runIn(tx, sql`select set_config('lock_timeout', ${String(withinMs)}, true)`);
      for (const keyId of [...keyIds].sort()) {
        await this.statements.runIn(tx, sql`delete from api_key where id = ${keyId} and revoked_at is not null`);
        await this.statements.runIn(tx, sql`delete from admin_key where id = ${keyId} and revoked_at is not null`);
      }
    });
    await deletion.catch((error: unknown) => {
      throw isLockTimeout(error) ? authErrors.revocationPending() : error;
    });
  }

  noteUse({ keyId }: KeyActor): void {
    const now = clock.now();
    if (now.getTime() - (this.notedAt.get(keyId) ?? 0) < NOTE_USE_EVERY_MS) return;
    if (this.notedAt.size >= NOTES_KEPT) this.notedAt.clear();
    this.notedAt.set(keyId, now.getTime());
    // Of several processes one writes a minute; the key may be gone by now, then there is nothing to note.
    const noted = this.statements.run(
      `insert into api_key_use (key_id, last_used_at) select id, $1 from api_key where id = $2
       on conflict (key_id) do update set last_used_at = excluded.last_used_at
       where api_key_use.last_used_at < excluded.last_used_at - interval '59 seconds'`,
      [now, keyId],
    );
    noted.catch((error: unknown) => this.log.debug({ err: error, keyId }, 'The use of a key was not noted'));
  }
}

/** So far back a value that has ended is told to have expired, and not only that it is none. */
function rememberedSince(): Date {
  return new Date(clock.now().getTime() - REMEMBER_ENDED_MS);
}

function toKnownKey(row: KeyRow, digest: string): KnownKey {
  const ends = [row.expiresAt, row.validUntil].filter((end) => end !== null);
  return {
    revoked: row.revokedAt !== null,
    usableUntil: ends.length > 0 ? new Date(Math.min(...ends.map((end) => end.getTime()))) : null,
    actor: {
      kind: 'key',
      keyId: row.keyId,
      keyName: row.keyName,
      valueDigest: digest,
      scopeId: row.scopeId,
      appId: row.appId,
      projectId: row.projectId,
      expiresAt: row.expiresAt,
      granted: row.granted,
      effective: withImplied(row.granted),
      ceiling: row.ceiling,
    },
  };
}
