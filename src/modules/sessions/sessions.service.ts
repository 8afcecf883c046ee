import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { KeyActor } from '../../kernel/actor.js';
import { type Id, newId } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { type Place, Places } from '../tenancy/places.service.js';
import { type Attachment, AttachmentStore } from './attachment-store.js';
import { SessionEnding } from './ending.service.js';
import { type Opened, SessionOpening } from './opening.service.js';
import type { Identity, Session, SessionStatus } from './session.js';
import { SessionSettingsService } from './session-settings.service.js';
import { SessionStore, type TurnTotals } from './session-store.js';
import { sessionsErrors } from './sessions.errors.js';
import { ConversationScript, type Welcome } from './sessions.port.js';
import { identityOf, type SeenSession } from './session-views.port.js';
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
    private readonly places: Places,
    private readonly opening: SessionOpening,
    private readonly ending: SessionEnding,
    private readonly store: SessionStore,
    private readonly attachments: AttachmentStore,
    private readonly settings: SessionSettingsService,
    private readonly script: ConversationScript,
  ) {}

  /** Finds the live session that is meant, or makes it. */
  create(
    actor: KeyActor,
    appId: Id<'app'>,
    envName: string,
    { sessionIdentity, source }: CreateSession,
  ): Promise<OpenedSession> {
    return this.database.transaction(actor, async (em) => {
      const [place, config, first] = await Promise.all([
        this.places.of(appId, envName),
        this.settings.configOf(appId),
        this.script.welcome(appId, envName),
      ]);
      const { session, welcome } = await this.opening.open(em, place, identityOf(sessionIdentity), source, first);
      const [profiles, attachments] = await Promise.all([
        this.script.profiles(em, session),
        welcome === null ? this.attachments.of(session.id) : [],
      ]);
      return { session, welcome, profiles, attachments, config, messageId: newId('message') };
    });
  }

  async terminate(
    actor: KeyActor,
    appId: Id<'app'>,
    envName: string,
    { sessionIdentity }: TerminateSession,
  ): Promise<{ session: Session; attachments: Attachment[] }> {
    const place = await this.places.of(appId, envName);
    const { sessionId, reference } = identityOf(sessionIdentity);
    const session = await this.ending.terminate(actor, place, {
      ...(sessionId !== undefined && { sessionId }),
      ...(reference !== undefined && { reference }),
    });
    return { session, attachments: await this.attachments.of(session.id) };
  }

  /** For a run that is at work in it from then on, in the transaction of a caller who knows what is said first. */
  open(
    em: EntityManager,
    place: Place,
    identity: Identity,
    source: string,
    welcome: Welcome,
    runId: Id<'run'>,
  ): Promise<Opened> {
    return this.opening.open(em, place, identity, source, welcome, runId);
  }

  /** As it is now, ended or not. */
  async see(sessionId: Id<'session'>): Promise<SeenSession> {
    const [session, attachments] = await Promise.all([this.store.find(sessionId), this.attachments.of(sessionId)]);
    if (!session) throw sessionsErrors.sessionNotFound();
    return { session, attachments };
  }

  /** Refuses files that do not belong to the session. */
  async checkAttached(sessionId: Id<'session'>, fileIds: readonly string[]): Promise<void> {
    if (fileIds.length === 0) return;
    const attached = await this.attachments.of(sessionId);
    const stray = fileIds.find((fileId) => !attached.some((each) => each.fileId === fileId));
    if (stray !== undefined)
      throw sessionsErrors.attachmentRejected({ reason: `${stray} is not attached to the session` });
  }

  /** Holds the session's row until the commit; refuses where it has ended. */
  async holdLive(em: EntityManager, sessionId: Id<'session'>): Promise<void> {
    const session = await this.store.holdById(em, sessionId);
    if (!session) throw sessionsErrors.sessionNotFound();
    if (session.endedAt) throw sessionsErrors.sessionTerminated();
  }

  /** The session, ended or not, with its row held until the commit. */
  hold(em: EntityManager, sessionId: Id<'session'>): Promise<Session | null> {
    return this.store.holdById(em, sessionId);
  }

  /** A turn is over, and adds what it took. */
  rest(
    em: EntityManager,
    sessionId: Id<'session'>,
    status: Extract<SessionStatus, 'idle' | 'busy' | 'error'>,
    totals: TurnTotals,
  ): Promise<void> {
    return this.store.rest(em, sessionId, status, totals);
  }
}
