import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { JwtClientActor } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import {
  JwtClientDirectory,
  type KnownJwtClient,
  type TokenAlgorithm,
} from '../../platform/auth/jwt-client-directory.js';
import { planned } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import { JwtClientKeys } from './jwt-client-keys.js';

interface ClientRow {
  id: Id<'jwtClient'>;
  name: string;
  projectId: Id<'project'>;
  algorithm: TokenAlgorithm;
  keySealed: string;
  previousKeySealed: string | null;
  requireExp: boolean;
  enforceJti: boolean;
}

/** What platform/auth asks about JWT clients. In SQL, since every hook passes here and needs no entity. */
@Injectable()
export class AgentAssistJwtClientDirectory extends JwtClientDirectory {
  constructor(
    private readonly statements: Statements,
    private readonly keys: JwtClientKeys,
  ) {
    super();
  }

  async find(clientId: string): Promise<KnownJwtClient | null> {
    // A name out of a token: what the database could not even compare is nobody's.
    if (clientId.includes('\0') || !clientId.isWellFormed()) return null;
    const [row] = await this.statements.run<ClientRow>(
      planned`select id, name, project_id as "projectId", algorithm, key_sealed as "keySealed",
              case when previous_until > ${clock.now()} then previous_key_sealed end as "previousKeySealed",
              require_exp as "requireExp", enforce_jti as "enforceJti"
       from jwt_client where id = ${clientId}`,
    );
    if (!row) return null;
    const { id, name, projectId, algorithm, requireExp, enforceJti } = row;
    const actor = { kind: 'jwtClient' as const, keyId: null, clientId: id, name, projectId };
    return { actor, algorithm, keys: this.keys.keysOf(id, algorithm, row), requireExp, enforceJti };
  }

  async useOnce(clientId: string, jti: string, usableUntil: Date): Promise<boolean> {
    const rows = await this.statements.run(
      planned`insert into used_token (client_id, digest, usable_until)
              values (${clientId}, ${createHash('sha256').update(jti).digest('base64url')}, ${usableUntil})
              on conflict do nothing returning client_id`,
    );
    return rows.length > 0;
  }

  async hold(em: EntityManager, { clientId }: JwtClientActor): Promise<void> {
    const held = await this.statements.runIn(
      em,
      planned`select 1 from jwt_client where id = ${clientId} for key share`,
    );
    if (held.length === 0) throw authErrors.tokenInvalid();
  }
}
