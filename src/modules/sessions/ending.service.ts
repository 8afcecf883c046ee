import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type Actor, SYSTEM } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { Jobs } from '../../platform/queue/jobs.js';
import type { Place } from '../tenancy/places.service.js';
import type { EndReason, Session } from './session.js';
import { SessionMemory } from './session-memory.service.js';
import { SessionStore } from './session-store.js';
import { sessionsErrors } from './sessions.errors.js';
import { closeSession } from './sessions.jobs.js';
import { ConversationScript } from './sessions.port.js';

/** Whoever ends a session closes it; after this long somebody else does. */
const CLOSED_BY_OTHERS_AFTER_MS = 60_000;

/**
 * The end of a session, in two steps: it ends at once, with all that runs in it; then what it was about is put together
 * from its memory, and the memory goes. A job sees to the second step should the process die in between.
 */
@Injectable()
export class SessionEnding {
  constructor(
    private readonly database: Database,
    private readonly store: SessionStore,
    private readonly memory: SessionMemory,
    private readonly script: ConversationScript,
    private readonly jobs: Jobs,
  ) {}

  /** Again changes nothing. */
  async terminate(actor: Actor, place: Place, named: { sessionId?: string; reference?: string }): Promise<Session> {
    const { id } = await this.database.transaction(actor, async (em) => {
      const session = await this.find(em, place, named);
      await this.end(em, session, 'terminated');
      return session;
    });
    return this.close(id);
  }

  /** False where it had ended. */
  async end(em: EntityManager, session: Session, reason: EndReason): Promise<boolean> {
    if (!(await this.store.end(em, session.id, reason))) return false;
    await this.script.onEnded(em, session);
    const runAt = new Date(clock.now().getTime() + CLOSED_BY_OTHERS_AFTER_MS);
    const { projectId } = session;
    await this.jobs.add(em, closeSession, { sessionId: session.id }, { projectId, runAt });
    return true;
  }

  async close(sessionId: Id<'session'>): Promise<Session> {
    const ended = await this.hold(sessionId);
    if (ended.closedAt) return ended;
    const { message, summary } = await this.script.farewell(ended, await this.memory.all(sessionId));
    return this.database.transaction(SYSTEM, async (em) => {
      const session = found(await this.store.holdById(em, sessionId));
      if (session.closedAt) return session;
      await this.store.close(em, sessionId, message, summary);
      return { ...session, farewell: message, summary };
    });
  }

  /** Ends some of those that nobody has spoken in since then. How many there were. */
  async expireSome(since: Date, limit: number): Promise<number> {
    const idle = await this.store.idleSince(since, limit);
    for (const sessionId of idle) {
      const isEnded = await this.database.transaction(SYSTEM, async (em) => {
        const session = await this.store.holdById(em, sessionId);
        if (!session || session.status === 'busy' || session.lastActivityAt >= since) return false;
        return this.end(em, session, 'expired');
      });
      if (isEnded) await this.close(sessionId);
    }
    return idle.length;
  }

  private async hold(sessionId: Id<'session'>): Promise<Session> {
    return this.database.transaction(SYSTEM, async (em) => found(await this.store.holdById(em, sessionId)));
  }

  private async find(
    em: EntityManager,
    place: Place,
    { sessionId, reference }: { sessionId?: string; reference?: string },
  ): Promise<Session> {
    const byId = sessionId === undefined ? null : await this.store.byId(em, place, sessionId);
    const byReference = reference === undefined ? null : await this.store.newest(em, place, reference);
    if (byId && reference !== undefined && byId.reference !== reference) throw sessionsErrors.identityConflict();
    return found(byId ?? byReference);
  }
}

function found(session: Session | null): Session {
  if (!session) throw sessionsErrors.sessionNotFound();
  return session;
}
