import { Injectable } from '@nestjs/common';
import { type AdminActor, type KeyActor, SYSTEM } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import { type Id, isId } from '../../kernel/ids.js';
import { withImplied } from '../../kernel/permissions.js';
import { MINUTE_MS } from '../../kernel/spans.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { KeyDirectory, type KnownKey } from '../../platform/auth/key-directory.js';
import { Database } from '../../platform/database/database.js';
import { isLockTimeout } from '../../platform/database/database.errors.js';
import { sql } from '../../platform/database/sql.js';
import { write } from '../../platform/database/statement.js';
import { Log } from '../../platform/telemetry/log.js';
import { rolesOfKey } from './admin-key.entity.js';
import { AdminKeyRepository } from './admin-key.repository.js';
import { ENDED_VALUES_KEPT_MS } from './api-key.entity.js';
import { ApiKeyRepository, type CheckedKey } from './api-key.repository.js';
import { ConsoleSessionRepository } from './console-sessions/console-session.repository.js';

const NOTE_USE_EVERY_MS = MINUTE_MS;
const NOTED_KEYS_KEPT = 10_000;

/** Answers what `platform/auth` asks about keys. It reads plain rows, because every request asks and entities cost time. */
@Injectable()
export class AccessKeyDirectory extends KeyDirectory {
  private readonly notedAt = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeyRepository,
    private readonly adminKeys: AdminKeyRepository,
    private readonly sessions: ConsoleSessionRepository,
    private readonly log: Log,
  ) {
    super();
  }

  async findKey(digest: string): Promise<KnownKey | null> {
    const key = await this.database.ask(this.keys.byValue(digest, endedValuesKeptSince()));
    return key ? toKnownKey(key, digest) : null;
  }

  async readAgain(actor: KeyActor): Promise<KeyActor | null> {
    // The permissions of an administrator in the console are those of no key, and do not change.
    if (isId('consoleSession', actor.keyId)) return actor;
    return (await this.findKey(actor.valueDigest))?.actor ?? null;
  }

  async findAdminKey(digest: string): Promise<AdminActor | null> {
    const key = await this.database.ask(this.adminKeys.byDigest(digest));
    return key && { kind: 'admin', keyId: key.id, name: key.name, ...rolesOfKey(key.role, key.projectId) };
  }

  async stillValid(keyIds: readonly string[]): Promise<Set<string>> {
    return new Set(await this.database.ask(this.keys.stillValid(keyIds)));
  }

  async forget(keyIds: readonly string[], withinMs: number): Promise<void> {
    const deletion = this.database.apart(() =>
      this.database.transaction(SYSTEM, async (tx) => {
        tx.defer(write(sql`select set_config('lock_timeout', ${String(withinMs)}, true)`));
        for (const keyId of [...keyIds].sort()) {
          await tx.askAll([this.keys, this.sessions, this.adminKeys].map((keys) => keys.deleteRevoked(keyId)));
        }
      }),
    );
    await deletion.catch((error: unknown) => {
      throw isLockTimeout(error) ? authErrors.revocationPending() : error;
    });
  }

  noteUse(keyId: Id<'apiKey'>): void {
    const now = clock.now();
    if (now.getTime() - (this.notedAt.get(keyId) ?? 0) < NOTE_USE_EVERY_MS) return;
    if (this.notedAt.size >= NOTED_KEYS_KEPT) this.notedAt.clear();
    this.notedAt.set(keyId, now.getTime());
    const noted = this.database.ask(this.keys.noteUse(keyId, now));
    noted.catch((error: unknown) => this.log.debug({ err: error, keyId }, 'The use of a key was not noted'));
  }
}

/** A value that ended after this time is refused as expired. An older one is refused as unknown. */
function endedValuesKeptSince(): Date {
  return new Date(clock.now().getTime() - ENDED_VALUES_KEPT_MS);
}

function toKnownKey({ revokedAt, validUntil, ...key }: CheckedKey, digest: string): KnownKey {
  const { id: keyId, name: keyName, scopeId, appId, projectId, expiresAt, granted, ceiling } = key;
  const ends = [expiresAt, validUntil].filter((end) => end !== null);
  const effective = withImplied(granted);
  return {
    revoked: revokedAt !== null,
    usableUntil: ends.length > 0 ? new Date(Math.min(...ends.map((end) => end.getTime()))) : null,
    actor: {
      kind: 'key',
      keyId,
      keyName,
      valueDigest: digest,
      scopeId,
      appId,
      projectId,
      expiresAt,
      granted,
      effective,
      ceiling,
    },
  };
}
