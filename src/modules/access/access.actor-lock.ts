import type { Transaction } from '../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import type { Actor, KeyActor } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import { type Id, isId } from '../../kernel/ids.js';
import { PERMISSION_NAMES, withImplied } from '../../kernel/permissions.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { JwtClientDirectory } from '../../platform/auth/jwt-client-directory.js';
import { mustPermit } from '../../platform/auth/permission.guard.js';
import { currentRequest } from '../../platform/context/request-context.js';
import { ActorLock } from '../../platform/database/actor-lock.js';
import { databaseErrors } from '../../platform/database/database.errors.js';
import { AdminKeyRepository } from './admin-key.repository.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { ConsoleSessionRepository } from './console-sessions/console-session.repository.js';
import { permissionsAbove } from './scope.entity.js';

/**
 * Locks the caller's key with `FOR KEY SHARE`. Transactions of one key share this lock, and the deletion of the key's row
 * waits for all of them.
 */
@Injectable()
export class AccessActorLock extends ActorLock {
  constructor(
    private readonly clients: JwtClientDirectory,
    private readonly keys: ApiKeyRepository,
    private readonly adminKeys: AdminKeyRepository,
    private readonly sessions: ConsoleSessionRepository,
  ) {
    super();
  }

  async lock(tx: Transaction, actor: Actor): Promise<void> {
    if (actor.kind === 'key') return this.lockKey(tx, actor);
    if (actor.kind === 'jwtClient') return this.clients.lock(tx, actor);
    if (actor.kind === 'system') return;
    if (actor.consoleSessionId) await this.lockSession(tx, actor.consoleSessionId);
    if (actor.keyId === null) return;
    const isValid = await tx.ask(this.adminKeys.lockForUse(actor.keyId));
    if (!isValid) throw authErrors.keyRevoked();
  }

  private async lockSession(tx: Transaction, sessionId: Id<'consoleSession'>): Promise<void> {
    const isGood = await tx.ask(this.sessions.lockForUse(sessionId, clock.now()));
    if (!isGood) throw authErrors.keyRevoked();
  }

  /** Checks the key again: it may have lost permissions since the request was authenticated, as bodies arrive slowly. */
  private async lockKey(tx: Transaction, actor: KeyActor): Promise<void> {
    if (isId('consoleSession', actor.keyId)) return this.lockSession(tx, actor.keyId);
    const key = await tx.ask(this.keys.lockForUse(actor.keyId, actor.valueDigest, clock.now()));
    if (!key) throw authErrors.keyRevoked();
    if (key.hasEnded) throw authErrors.keyExpired();
    const access = currentRequest()?.access;
    if (access) mustPermit({ ...actor, granted: key.granted, effective: withImplied(key.granted) }, access);
    if (permissionsAbove(key.ceiling, actor.ceiling ?? PERMISSION_NAMES).length > 0) throw databaseErrors.conflict();
  }
}
