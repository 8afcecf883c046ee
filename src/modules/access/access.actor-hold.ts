import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Actor, KeyActor } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import { PERMISSION_NAMES, type Permission, withImplied } from '../../kernel/permissions.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { JwtClientDirectory } from '../../platform/auth/jwt-client-directory.js';
import { mustPermit } from '../../platform/auth/permission.guard.js';
import { currentRequest } from '../../platform/context/request-context.js';
import { ActorHold } from '../../platform/database/actor-hold.js';
import { databaseErrors } from '../../platform/database/database.errors.js';
import { planned } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import { beyond } from './scope.entity.js';

/** Revoking a key and what the key writes take turns: `FOR KEY SHARE` lets writers in together, and the deletion wait. */
@Injectable()
export class AccessActorHold extends ActorHold {
  constructor(
    private readonly clients: JwtClientDirectory,
    private readonly statements: Statements,
  ) {
    super();
  }

  async hold(em: EntityManager, actor: Actor): Promise<void> {
    if (actor.kind === 'key') return this.holdKey(em, actor);
    if (actor.kind === 'jwtClient') return this.clients.hold(em, actor);
    if (actor.kind === 'system' || actor.keyId === null) return;
    const held = await this.statements.runIn(
      em,
      planned`select 1 from admin_key where id = ${actor.keyId} and revoked_at is null for key share`,
    );
    if (held.length === 0) throw authErrors.keyRevoked();
  }

  /** A body can take long to arrive: what the key could do when it was checked, it may have lost since. */
  private async holdKey(em: EntityManager, actor: KeyActor): Promise<void> {
    const [now] = await this.statements.runIn<{ ended: boolean; granted: Permission[]; ceiling: Permission[] | null }>(
      em,
      planned`select least(k.expires_at, v.valid_until) <= ${clock.now()} as ended, s.granted, s.ceiling
       from api_key k join scope s on s.id = k.scope_id
       left join api_key_value v on v.key_id = k.id and v.digest = ${actor.valueDigest}
       where k.id = ${actor.keyId} and k.revoked_at is null for key share of k`,
    );
    if (!now) throw authErrors.keyRevoked();
    if (now.ended) throw authErrors.keyExpired();
    const access = currentRequest()?.access;
    if (access) mustPermit({ ...actor, granted: now.granted, effective: withImplied(now.granted) }, access);
    if (beyond(now.ceiling, actor.ceiling ?? PERMISSION_NAMES).length > 0) throw databaseErrors.conflict();
  }
}
