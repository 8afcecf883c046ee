import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Actor, AdminActor, KeyActor } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { PERMISSION_NAMES, type Permission, withImplied } from '../../kernel/permissions.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { KeyDirectory, type KnownKey } from '../../platform/auth/key-directory.js';
import { databaseErrors } from '../../platform/database/database.errors.js';
import { Statements } from '../../platform/database/statements.js';
import { Log } from '../../platform/telemetry/log.js';
import { beyond } from './scope.entity.js';

interface KeyRow {
  key_id: Id<'apiKey'>;
  key_name: string;
  expires_at: Date | null;
  revoked_at: Date | null;
  valid_until: Date | null;
  scope_id: Id<'scope'>;
  granted: Permission[];
  ceiling: Permission[] | null;
  app_id: Id<'app'>;
  project_id: Id<'project'>;
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
    const [row] = await this.statements.runNamed<KeyRow>(
      'find-key',
      `select k.id as key_id, k.name as key_name, k.expires_at, k.revoked_at, v.valid_until,
              s.id as scope_id, s.granted, s.ceiling, s.app_id, a.project_id
       from api_key_value v join api_key k on k.id = v.key_id
       join scope s on s.id = k.scope_id join app a on a.id = s.app_id
       where v.digest = $1`,
      [digest],
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

  async hold(em: EntityManager, actor: Actor): Promise<void> {
    if (actor.kind === 'key') return this.holdKey(em, actor);
    if (actor.kind === 'system' || actor.keyId === null) return;
    const held = await em.execute('select 1 from admin_key where id = ? and revoked_at is null for key share', [
      actor.keyId,
    ]);
    if (held.length === 0) throw authErrors.keyRevoked();
  }

  /** A body can take long to arrive: what the key could do when it was checked, it may have lost since. */
  private async holdKey(em: EntityManager, actor: KeyActor): Promise<void> {
    const [now] = await em.execute<{ ended: boolean; granted: Permission[]; ceiling: Permission[] | null }[]>(
      `select least(k.expires_at, v.valid_until) <= ? as ended, s.granted, s.ceiling
       from api_key k join scope s on s.id = k.scope_id
       left join api_key_value v on v.key_id = k.id and v.digest = ?
       where k.id = ? and k.revoked_at is null for key share of k`,
      [clock.now(), actor.valueDigest, actor.keyId],
    );
    if (!now) throw authErrors.keyRevoked();
    if (now.ended) throw authErrors.keyExpired();
    const lost = beyond(now.granted, actor.granted);
    if (lost.length > 0) throw authErrors.permissionDenied({ required: lost });
    if (beyond(now.ceiling, actor.ceiling ?? PERMISSION_NAMES).length > 0) throw databaseErrors.conflict();
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
      await tx.execute(`set local lock_timeout = ${withinMs}`);
      for (const keyId of [...keyIds].sort()) {
        await tx.execute('delete from api_key where id = ? and revoked_at is not null', [keyId]);
        await tx.execute('delete from admin_key where id = ? and revoked_at is not null', [keyId]);
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

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03';
}

function toKnownKey(row: KeyRow, digest: string): KnownKey {
  const ends = [row.expires_at, row.valid_until].filter((end) => end !== null);
  return {
    revoked: row.revoked_at !== null,
    usableUntil: ends.length > 0 ? new Date(Math.min(...ends.map((end) => end.getTime()))) : null,
    actor: {
      kind: 'key',
      keyId: row.key_id,
      keyName: row.key_name,
      valueDigest: digest,
      scopeId: row.scope_id,
      appId: row.app_id,
      projectId: row.project_id,
      expiresAt: row.expires_at,
      granted: row.granted,
      effective: withImplied(row.granted),
      ceiling: row.ceiling,
    },
  };
}
