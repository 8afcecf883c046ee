import type { Id } from '../../kernel/ids.js';
import type { Statement } from '../../platform/database/statement.js';
import type { Transaction } from '../../platform/database/transaction.js';
import { Mark } from '../../platform/extension/mark.js';
import type { ErasureReport } from './erasure/erasure.entity.js';
import type { SessionRow } from './session.entity.js';
import type { Memory } from './memory/session-memory.service.js';

/** What a client names a session by, in the order in which it is tried. */
export interface Identity {
  sessionId?: string | undefined;
  reference?: string | undefined;
  userReference?: string | undefined;
}

export interface Welcome {
  message: string;
  /** Of the agent that is active there; null where none is. */
  versionId: Id<'agentVersion'> | null;
}

/** An identity provider that the app's tools need the user to have signed in at. */
export interface ProfileState {
  /** Where the user signs in. */
  url: string;
  idpName: string;
  isAuthorized: boolean;
  ssoType: string;
  /** What the user types before the sign-in; the same for all of one answer, null where none is wanted. */
  code: string | null;
}

export interface Farewell {
  message: string;
  /** What the conversation was about; empty where nothing was said. */
  summary: string;
}

/** What is said at the beginning and at the end of sessions. Whoever has the agents implements it. */
export abstract class ConversationScript {
  /** Asked before it is known whether there will be a new session, or is such an environment: then nobody hears it. */
  abstract welcome(appId: Id<'app'>, envName: string): Statement<Welcome>;

  /** In the transaction that finds or makes the session. None where the app needs no user to sign in, or this one has everywhere. */
  abstract profiles(tx: Transaction, session: SessionRow): Promise<ProfileState[]>;

  /** In the transaction that ends the session: what runs or waits in it, stops. */
  abstract onEnded(tx: Transaction, session: SessionRow): Promise<void>;

  /** After it, while what was said is still there. Bounded in time; it does not throw. */
  abstract farewell(session: SessionRow, memory: readonly Memory[]): Promise<Farewell>;
}

/** Whoever keeps something else of what was said in sessions. */
export abstract class SessionKeeper {
  /** Takes it away, in the transaction that erases the session. How much it was, as the report calls it. */
  abstract forget(tx: Transaction, session: SessionRow): Promise<Partial<ErasureReport>>;
}

export const sessionKeepers = new Mark<SessionKeeper>('keep something of sessions');

/** Marks a provider that has to forget. */
export function KeepsOfSessions(): ClassDecorator {
  return sessionKeepers.marks(true);
}
