import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import { databaseErrors } from '../../../platform/database/database.errors.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import type { EnvironmentRef } from '../../tenancy/environments.service.js';
import type { SessionRow } from '../session.entity.js';
import { SessionRepository } from '../session.repository.js';
import { sessionsErrors } from '../sessions.errors.js';
import type { Identity, Welcome } from '../sessions.port.js';

/** Each time the session that stood in the way has ended meanwhile. */
const ATTEMPTS = 5;

export interface Opened {
  session: SessionRow;
  /** What the agent says first, where the session is new. */
  welcome: string | null;
}

/** Finds the live session that is meant, or makes it: of many who ask at the same moment one makes it. */
@Injectable()
export class SessionOpening {
  constructor(private readonly sessions: SessionRepository) {}

  /** Locks the session until the commit. Where a run is named, it is at work in the session from then on. */
  async open(
    tx: Transaction,
    env: EnvironmentRef,
    identity: Identity,
    source: string,
    welcome: Welcome,
    runId: Id<'agentRun'> | null = null,
  ): Promise<Opened> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const found = await this.findAndHold(tx, env, identity, runId);
      if (found === 'ended meanwhile') continue;
      if (found) return { session: found, welcome: null };
      const created = await this.create(tx, env, identity, source, welcome, runId);
      if (created) return created;
    }
    throw databaseErrors.conflict();
  }

  /** Most runs name their session by its reference alone: then finding it and holding it is one statement. */
  private async findAndHold(
    tx: Transaction,
    env: EnvironmentRef,
    identity: Identity,
    runId: Id<'agentRun'> | null,
  ): Promise<SessionRow | 'ended meanwhile' | null> {
    const { sessionId, reference, userReference } = identity;
    if (runId && sessionId === undefined && reference !== undefined && userReference === undefined) {
      return tx.ask(this.sessions.beginLive(env, reference, runId));
    }
    const found = await this.find(tx, env, identity);
    if (!found) return null;
    const isHeld = await tx.ask(runId ? this.sessions.begin(found.id, runId) : this.sessions.touch(found.id));
    return isHeld ? found : 'ended meanwhile';
  }

  private async find(tx: Transaction, env: EnvironmentRef, identity: Identity): Promise<SessionRow | null> {
    const { sessionId, reference, userReference } = identity;
    const byId = sessionId === undefined ? null : await tx.ask(this.sessions.inEnvironment(env, sessionId));
    if (byId?.endedAt) throw sessionsErrors.sessionTerminated();
    if (!byId && reference === undefined && userReference === undefined) throw sessionsErrors.sessionNotFound();
    if (byId && reference !== undefined && byId.reference !== reference) throw sessionsErrors.identityConflict();
    const found = byId ?? (reference === undefined ? null : await tx.ask(this.sessions.live(env, reference)));
    if (found && userReference !== undefined && found.userReference !== userReference)
      throw sessionsErrors.ownerMismatch();
    return found;
  }

  private async create(
    tx: Transaction,
    env: EnvironmentRef,
    { reference, userReference }: Identity,
    source: string,
    { message, versionId }: Welcome,
    runId: Id<'agentRun'> | null,
  ): Promise<Opened | null> {
    const wish = {
      reference: reference ?? null,
      userReference: userReference ?? reference!,
      source,
      appVersionId: versionId,
      runId,
    };
    const session = await tx.ask(this.sessions.add(env, wish));
    return session && { session, welcome: message };
  }
}
