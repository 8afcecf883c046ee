import { Injectable } from '@nestjs/common';
import type { KeyActor } from '../../kernel/actor.js';
import { type Id, newId } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { databaseErrors } from '../../platform/database/database.errors.js';
import type { Sql } from '../../platform/database/sql.js';
import type { Statement } from '../../platform/database/statement.js';
import type { Transaction } from '../../platform/database/transaction.js';
import { Events } from '../../platform/events/events.js';
import { type EnvironmentRef, Environments } from '../tenancy/environments.service.js';
import { AttachmentRepository } from './attachments/attachment.repository.js';
import { SessionEnding } from './ending.service.js';
import type { AttachedFile, SessionWithAttachments, SessionRow } from './session.entity.js';
import { SessionRepository, type TurnTotals } from './session.repository.js';
import { SessionSettingsService } from './attachments/session-settings.service.js';
import { sessionsErrors } from './sessions.errors.js';
import { SessionCreated } from './sessions.events.js';
import { ConversationScript, type Identity, type Welcome } from './sessions.port.js';
import { identityOf } from './session-views.schema.js';
import type { CreateSession, OpenedSession, TerminateSession } from './sessions.schema.js';

const { sessionNotFound, sessionTerminated, identityConflict, ownerMismatch, attachmentRejected } = sessionsErrors;

/** The errors of every request that names a session. */
export const sessionRefusals = [
  sessionNotFound,
  sessionTerminated,
  identityConflict,
  ownerMismatch,
  attachmentRejected,
];

/** The attempts to find or create a session. Another is needed whenever the found session ends before it is updated. */
const ATTEMPTS = 5;

export interface Opened {
  session: SessionRow;
  /** The first message of the agent, or null if the session was found. */
  welcome: string | null;
}

/** Creates, finds, reads and ends sessions for clients and agents. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly database: Database,
    private readonly environments: Environments,
    private readonly ending: SessionEnding,
    private readonly sessions: SessionRepository,
    private readonly attachments: AttachmentRepository,
    private readonly settings: SessionSettingsService,
    private readonly script: ConversationScript,
    private readonly events: Events,
  ) {}

  /** Finds the live session that the identity names, or creates it. */
  async create(
    actor: KeyActor,
    appId: Id<'app'>,
    envName: string,
    { sessionIdentity, source }: CreateSession,
  ): Promise<OpenedSession> {
    let attachments: AttachedFile[] = [];
    const opened = await this.database.transaction(actor, async (tx) => {
      const [env, config, first] = await tx.askAll([
        this.environments.ref(appId, envName),
        this.settings.configOf(appId),
        this.script.welcome(appId, envName),
      ]);
      const { session, welcome } = await this.open(tx, env, identityOf(sessionIdentity), source, first);
      // The attachments are read in one packet with the statements of the script.
      if (welcome === null) tx.defer(this.attachments.ofSession(session.id), (found) => (attachments = found));
      return { session, welcome, config, profiles: await this.script.profiles(tx, session) };
    });
    return { ...opened, attachments, messageId: newId('message') };
  }

  async terminate(
    actor: KeyActor,
    appId: Id<'app'>,
    envName: string,
    { sessionIdentity }: TerminateSession,
  ): Promise<{ session: SessionRow; attachments: AttachedFile[] }> {
    const env = await this.database.ask(this.environments.ref(appId, envName));
    const { sessionId, reference } = identityOf(sessionIdentity);
    const session = await this.ending.terminate(actor, env, {
      ...(sessionId !== undefined && { sessionId }),
      ...(reference !== undefined && { reference }),
    });
    return { session, attachments: await this.database.ask(this.attachments.ofSession(session.id)) };
  }

  /**
   * Finds the live session that the identity names, or creates it. Of many requests at once, only one creates it. The
   * session is locked until the commit. If a run is given, it begins in the session.
   */
  async open(
    tx: Transaction,
    env: EnvironmentRef,
    identity: Identity,
    source: string,
    welcome: Welcome,
    runId: Id<'agentRun'> | null = null,
  ): Promise<Opened> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const found = await this.findAndTouch(tx, env, identity, runId);
      if (found === 'ended meanwhile') continue;
      if (found) return { session: found, welcome: null };
      const created = await this.insert(tx, env, identity, source, welcome, runId);
      if (created) return created;
    }
    throw databaseErrors.conflict();
  }

  /** Reads a session with its attachments, whether it has ended or not. */
  async read(sessionId: Id<'session'>): Promise<SessionWithAttachments> {
    const seen = await this.database.ask(this.sessions.withAttachments(sessionId));
    if (!seen) throw sessionsErrors.sessionNotFound();
    return seen;
  }

  /** Refuses files that do not belong to the session. */
  async checkAttached(sessionId: Id<'session'>, fileIds: readonly string[]): Promise<void> {
    if (fileIds.length === 0) return;
    const attached = await this.database.ask(this.attachments.ofSession(sessionId));
    const stray = fileIds.find((fileId) => !attached.some((each) => each.fileId === fileId));
    if (stray !== undefined)
      throw sessionsErrors.attachmentRejected({ reason: `${stray} is not attached to the session` });
  }

  /** Locks a session, whether it has ended or not. */
  lock(sessionId: Id<'session'>): Statement<SessionRow | null> {
    return this.sessions.lock(sessionId);
  }

  /** Adds the totals of an ended turn. The status is an expression, because it depends on the session's other runs. */
  endTurn(sessionId: Id<'session'>, status: Sql, totals: TurnTotals): Statement<void> {
    return this.sessions.endTurn(sessionId, status, totals);
  }

  /**
   * Finds the session and updates it, which locks its row. Most runs name their session by its reference only, and then
   * one statement does both.
   */
  private async findAndTouch(
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
    const isLive = await tx.ask(runId ? this.sessions.begin(found.id, runId) : this.sessions.touch(found.id));
    return isLive ? found : 'ended meanwhile';
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

  private async insert(
    tx: Transaction,
    env: EnvironmentRef,
    { reference, userReference }: Identity,
    source: string,
    { message, versionId }: Welcome,
    runId: Id<'agentRun'> | null,
  ): Promise<Opened | null> {
    const newSession = {
      reference: reference ?? null,
      userReference: userReference ?? reference!,
      source,
      appVersionId: versionId,
      runId,
    };
    const session = await tx.ask(this.sessions.add(env, newSession));
    if (!session) return null;
    const { id: sessionId, projectId, appId, environment } = session;
    await this.events.publish(tx, SessionCreated, { sessionId, projectId, appId, environment });
    return { session, welcome: message };
  }
}
