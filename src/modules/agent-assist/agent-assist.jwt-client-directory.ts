import { createHash } from 'node:crypto';
import type { Transaction } from '../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import type { JwtClientActor } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import { isStorable } from '../../kernel/storable-text.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { JwtClientDirectory, type KnownJwtClient } from '../../platform/auth/jwt-client-directory.js';
import { Statements } from '../../platform/database/statements.js';
import type { JwtClientRow } from './jwt-client.entity.js';
import { JwtClientKeys, type SealedKeys } from './jwt-client-keys.js';
import { JwtClientRepository } from './jwt-client.repository.js';

/** Looks up JWT clients for `platform/auth`. It reads plain rows, because every hook call asks and needs no entity. */
@Injectable()
export class AgentAssistJwtClientDirectory extends JwtClientDirectory {
  constructor(
    // `Database` would be circular: its transactions lock clients through this directory.
    private readonly statements: Statements,
    private readonly clients: JwtClientRepository,
    private readonly keys: JwtClientKeys,
  ) {
    super();
  }

  async find(clientId: string): Promise<KnownJwtClient | null> {
    // The id comes from a token that is not verified yet, and the statement fails for text that PostgreSQL cannot store.
    if (!isStorable(clientId)) return null;
    const client = await this.statements.ask(this.clients.rowOf(clientId));
    if (!client) return null;
    const { id, name, projectId, algorithm, requireExp, enforceJti } = client;
    const actor = { kind: 'jwtClient' as const, keyId: null, clientId: id, name, projectId };
    return { actor, algorithm, keys: this.keys.keysOf(id, algorithm, usableKeys(client)), requireExp, enforceJti };
  }

  useOnce(clientId: string, jti: string, usableUntil: Date): Promise<boolean> {
    const digest = createHash('sha256').update(jti).digest('base64url');
    return this.statements.ask(this.clients.useToken(clientId, digest, usableUntil));
  }

  async lock(tx: Transaction, { clientId }: JwtClientActor): Promise<void> {
    const exists = await tx.ask(this.clients.lockForUse(clientId));
    if (!exists) throw authErrors.tokenInvalid();
  }
}

/** After a rotation, the previous key stays valid until the end of its grace period. */
function usableKeys({ keySealed, previousKeySealed, previousUntil }: JwtClientRow): SealedKeys {
  const isPreviousValid = previousUntil !== null && previousUntil > clock.now();
  return { keySealed, previousKeySealed: isPreviousValid ? previousKeySealed : null };
}
