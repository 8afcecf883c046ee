import { Injectable } from '@nestjs/common';
import type { KeyActor } from '../../kernel/actor.js';
import { type Id, newId } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import type { Sql } from '../../platform/database/sql.js';
import type { Statement } from '../../platform/database/statement.js';
import type { Transaction } from '../../platform/database/transaction.js';
import { type EnvironmentRef, Environments } from '../tenancy/environments.service.js';
import { AttachmentRepository } from './attachments/attachment.repository.js';
import { SessionEnding } from './life/ending.service.js';
import { type Opened, SessionOpening } from './life/opening.service.js';
import type { AttachedFile, SeenSession, SessionRow } from './session.entity.js';
import { SessionRepository, type TurnTotals } from './session.repository.js';
import { SessionSettingsService } from './attachments/session-settings.service.js';
import { sessionsErrors } from './sessions.errors.js';
import { ConversationScript, type Identity, type Welcome } from './sessions.port.js';
import { identityOf } from './session-views.schema.js';
import type { CreateSession, OpenedSession, TerminateSession } from './sessions.schema.js';

const { sessionNotFound, sessionTerminated, identityConflict, ownerMismatch, attachmentRejected } = sessionsErrors;

/** With which whoever names a session may be refused. */
export const sessionRefusals = [
  sessionNotFound,
  sessionTerminated,
  identityConflict,
  ownerMismatch,
  attachmentRejected,
];

/** Sessions as clients and agents use them. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly database: Database,
    private readonly environments: Environments,
    private readonly opening: SessionOpening,
    private readonly ending: SessionEnding,
    private readonly sessions: SessionRepository,
    private readonly attachments: AttachmentRepository,
    private readonly settings: SessionSettingsService,
    private readonly script: ConversationScript,
  ) {}

  /** Finds the live session that is meant, or makes it. */
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
      const { session, welcome } = await this.opening.open(tx, env, identityOf(sessionIdentity), source, first);
      // They are read together with what the script asks.
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

  /** For a run that is at work in it from then on, in the transaction of a caller who knows what is said first. */
  open(
    tx: Transaction,
    env: EnvironmentRef,
    identity: Identity,
    source: string,
    welcome: Welcome,
    runId: Id<'agentRun'>,
  ): Promise<Opened> {
    return this.opening.open(tx, env, identity, source, welcome, runId);
  }

  /** As it is now, ended or not. */
  async see(sessionId: Id<'session'>): Promise<SeenSession> {
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

  /** The session, ended or not, locked until the commit. */
  lock(sessionId: Id<'session'>): Statement<SessionRow | null> {
    return this.sessions.lock(sessionId);
  }

  /** A turn is over, and adds what it took. The status is an expression, since it depends on what else is under way. */
  rest(sessionId: Id<'session'>, status: Sql, totals: TurnTotals): Statement<void> {
    return this.sessions.rest(sessionId, status, totals);
  }
}
