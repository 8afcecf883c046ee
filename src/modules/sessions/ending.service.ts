import { Injectable } from '@nestjs/common';
import { type Actor, SYSTEM } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { MINUTE_MS } from '../../kernel/spans.js';
import { Database } from '../../platform/database/database.js';
import type { Transaction } from '../../platform/database/transaction.js';
import { Events } from '../../platform/events/events.js';
import { Jobs } from '../../platform/queue/jobs.js';
import type { EnvironmentRef } from '../tenancy/environments.service.js';
import { MemoryEntryRepository } from './memory/memory-entry.repository.js';
import type { EndReason, SessionRow } from './session.entity.js';
import { SessionRepository } from './session.repository.js';
import { sessionsErrors } from './sessions.errors.js';
import { SessionEnded } from './sessions.events.js';
import { closeSession } from './sessions.jobs.js';
import { ConversationScript } from './sessions.port.js';

/** The process that ends a session also closes it. After this time, a job closes it instead. */
const CLOSED_BY_JOB_AFTER_MS = MINUTE_MS;

/**
 * Ends sessions in two steps. First the session ends, with everything that runs in it. Then its memory is summarized
 * and deleted, which needs the call of a model. If the process dies in between, a job does the second step.
 */
@Injectable()
export class SessionEnding {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionRepository,
    private readonly entries: MemoryEntryRepository,
    private readonly script: ConversationScript,
    private readonly jobs: Jobs,
    private readonly events: Events,
  ) {}

  /** Ends and closes a session. Repeating it changes nothing. */
  async terminate(
    actor: Actor,
    env: EnvironmentRef,
    named: { sessionId?: string; reference?: string },
  ): Promise<SessionRow> {
    const { id } = await this.database.transaction(actor, async (tx) => {
      const session = await this.find(tx, env, named);
      await this.end(tx, session, 'terminated');
      return session;
    });
    return this.close(id);
  }

  /** Ends a session. Returns false if it had ended already. */
  async end(tx: Transaction, session: SessionRow, reason: EndReason): Promise<boolean> {
    if (!(await tx.ask(this.sessions.end(session.id, reason)))) return false;
    await this.script.onEnded(tx, session);
    const runAt = new Date(clock.now().getTime() + CLOSED_BY_JOB_AFTER_MS);
    const { id: sessionId, projectId, appId, environment } = session;
    await this.jobs.add(tx, closeSession, { sessionId }, { projectId, runAt });
    await this.events.publish(tx, SessionEnded, { sessionId, projectId, appId, environment, reason });
    return true;
  }

  async close(sessionId: Id<'session'>): Promise<SessionRow> {
    const ended = await this.database.transaction(SYSTEM, async (tx) => {
      return found(await tx.ask(this.sessions.lock(sessionId)));
    });
    if (ended.closedAt) return ended;
    const memory = await this.database.ask(this.entries.ofSession(sessionId));
    const { message, summary } = await this.script.farewell(ended, memory);
    return this.database.transaction(SYSTEM, async (tx) => {
      const session = found(await tx.ask(this.sessions.lock(sessionId)));
      if (session.closedAt) return session;
      tx.defer(this.entries.deleteOfSession(sessionId));
      tx.defer(this.sessions.close(sessionId, message, summary));
      return { ...session, farewell: message, summary };
    });
  }

  /** Ends some of the sessions without activity since that time. Returns how many it has found. */
  async expireSome(since: Date, limit: number): Promise<number> {
    const idle = await this.database.ask(this.sessions.idleSince(since, limit));
    for (const sessionId of idle) {
      const isEnded = await this.database.transaction(SYSTEM, async (tx) => {
        const session = await tx.ask(this.sessions.lock(sessionId));
        if (!session || session.status === 'busy' || session.lastActivityAt >= since) return false;
        return this.end(tx, session, 'expired');
      });
      if (isEnded) await this.close(sessionId);
    }
    return idle.length;
  }

  private async find(
    tx: Transaction,
    env: EnvironmentRef,
    { sessionId, reference }: { sessionId?: string; reference?: string },
  ): Promise<SessionRow> {
    const byId = sessionId === undefined ? null : await tx.ask(this.sessions.inEnvironment(env, sessionId));
    const byReference = reference === undefined ? null : await tx.ask(this.sessions.newest(env, reference));
    if (byId && reference !== undefined && byId.reference !== reference) throw sessionsErrors.identityConflict();
    return found(byId ?? byReference);
  }
}

function found(session: SessionRow | null): SessionRow {
  if (!session) throw sessionsErrors.sessionNotFound();
  return session;
}
