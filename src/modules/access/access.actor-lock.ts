import type { Transaction } from '../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import type { Actor, KeyActor } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import { PERMISSION_NAMES, withImplied } from '../../kernel/permissions.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { JwtClientDirectory } from '../../platform/auth/jwt-client-directory.js';
import { mustPermit } from '../../platform/auth/permission.guard.js';
import { currentRequest } from '../../platform/context/request-context.js';
import { ActorLock } from '../../platform/database/actor-lock.js';
import { databaseErrors } from '../../platform/database/database.errors.js';
import { AdminKeyRepository } from './admin-key.repository.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { beyond } from './scope.entity.js';

/** Revoking a key and what the key writes take turns: `FOR KEY SHARE` lets writers in together, and the deletion wait. */
@Injectable()
export class AccessActorLock extends ActorLock {
  constructor(
    private readonly clients: JwtClientDirectory,
    private readonly keys: ApiKeyRepository,
    private readonly adminKeys: AdminKeyRepository,
  ) {
    super();
  }

  async lock(tx: Transaction, actor: Actor): Promise<void> {
    if (actor.kind === 'key') return this.lockKey(tx, actor);
    if (actor.kind === 'jwtClient') return this.clients.lock(tx, actor);
    if (actor.kind === 'system' || actor.keyId === null) return;
    const isGood = await tx.ask(this.adminKeys.lockForUse(actor.keyId));
    if (!isGood) throw authErrors.keyRevoked();
  }

  /** A body can take long to arrive: what the key could do when it was checked, it may have lost since. */
  private async lockKey(tx: Transaction, actor: KeyActor): Promise<void> {
    const now = await tx.ask(this.keys.lockForUse(actor.keyId, actor.valueDigest, clock.now()));
    if (!now) throw authErrors.keyRevoked();
    if (now.hasEnded) throw authErrors.keyExpired();
    const access = currentRequest()?.access;
    if (access) mustPermit({ ...actor, granted: now.granted, effective: withImplied(now.granted) }, access);
    if (beyond(now.ceiling, actor.ceiling ?? PERMISSION_NAMES).length > 0) throw databaseErrors.conflict();
  }
}
