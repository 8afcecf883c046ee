import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { databaseErrors } from '../../platform/database/database.errors.js';
import type { Place } from '../tenancy/places.service.js';
import type { Identity, Session } from './session.js';
import { SessionStore } from './session-store.js';
import { sessionsErrors } from './sessions.errors.js';
import type { Welcome } from './sessions.port.js';

/** Each time the session that stood in the way has ended meanwhile. */
const ATTEMPTS = 5;

export interface Opened {
  session: Session;
  /** What the agent says first, where the session is new. */
  welcome: string | null;
}

/** Finds the live session that is meant, or makes it: of many who ask at the same moment one makes it. */
@Injectable()
export class SessionOpening {
  constructor(private readonly store: SessionStore) {}

  /** Holds the session's row until the commit. Where a run is named, it is at work in the session from then on. */
  async open(
    em: EntityManager,
    place: Place,
    identity: Identity,
    source: string,
    welcome: Welcome,
    runId: Id<'run'> | null = null,
  ): Promise<Opened> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const found = await this.find(em, place, identity);
      if (!found) {
        const created = await this.create(em, place, identity, source, welcome, runId);
        if (created) return created;
      } else if (await (runId ? this.store.begin(em, found.id, runId) : this.store.touch(em, found.id))) {
        return { session: found, welcome: null };
      }
    }
    throw databaseErrors.conflict();
  }

  private async find(em: EntityManager, place: Place, identity: Identity): Promise<Session | null> {
    const { sessionId, reference, userReference } = identity;
    const byId = sessionId === undefined ? null : await this.store.byId(em, place, sessionId);
    if (byId?.endedAt) throw sessionsErrors.sessionTerminated();
    if (!byId && reference === undefined && userReference === undefined) throw sessionsErrors.sessionNotFound();
    if (byId && reference !== undefined && byId.reference !== reference) throw sessionsErrors.identityConflict();
    const found = byId ?? (reference === undefined ? null : await this.store.live(em, place, reference));
    if (found && userReference !== undefined && found.userReference !== userReference)
      throw sessionsErrors.ownerMismatch();
    return found;
  }

  private async create(
    em: EntityManager,
    place: Place,
    { reference, userReference }: Identity,
    source: string,
    { message, versionId }: Welcome,
    runId: Id<'run'> | null,
  ): Promise<Opened | null> {
    const session = await this.store.insert(em, place, {
      reference: reference ?? null,
      userReference: userReference ?? reference!,
      source,
      appVersionId: versionId,
      runId,
    });
    return session && { session, welcome: message };
  }
}
