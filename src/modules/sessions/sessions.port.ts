import type { Id } from '../../kernel/ids.js';
import type { Statement } from '../../platform/database/statement.js';
import type { Transaction } from '../../platform/database/transaction.js';
import { Mark } from '../../platform/extension/mark.js';
import type { ErasureReport } from './erasure/erasure.entity.js';
import type { SessionRow } from './session.entity.js';
import type { Memory } from './memory/session-memory.service.js';

/** How a client names a session. The members are tried in this order. */
export interface Identity {
  sessionId?: string | undefined;
  reference?: string | undefined;
  userReference?: string | undefined;
}

export interface Welcome {
  message: string;
  /** The version of the active agent, or null if the environment has none. */
  versionId: Id<'agentVersion'> | null;
}

/** An identity provider at which the user has to sign in for the app's tools. */
export interface ProfileState {
  /** The address of the sign-in. */
  url: string;
  idpName: string;
  isAuthorized: boolean;
  ssoType: string;
  /**
   * The code that the user types before the sign-in, or null if none is asked for. All profiles of an answer share it.
   */
  code: string | null;
}

export interface Farewell {
  message: string;
  /** The summary of the conversation. It is empty if nothing was said. */
  summary: string;
}

/** Provides what sessions say at their beginning and end. The module of agents implements it. */
export abstract class ConversationScript {
  /**
   * Returns the statement that reads the welcome. It is sent before it is known whether the session is new and the
   * environment exists. Otherwise, its result is not used.
   */
  abstract welcome(appId: Id<'app'>, envName: string): Statement<Welcome>;

  /**
   * Returns the identity providers of the app, with an address for those at which the user still has to sign in. It is
   * called in the transaction that finds or creates the session.
   */
  abstract profiles(tx: Transaction, session: SessionRow): Promise<ProfileState[]>;

  /** Ends everything that runs or waits in the session, in the transaction that ends it. */
  abstract onEnded(tx: Transaction, session: SessionRow): Promise<void>;

  /**
   * Summarizes the conversation after the session has ended, before its memory is deleted. Its time is limited, and it
   * does not throw.
   */
  abstract farewell(session: SessionRow, memory: readonly Memory[]): Promise<Farewell>;
}

/** Is implemented by modules that keep other data about sessions, and have to delete it when a user is erased. */
export abstract class SessionKeeper {
  /** Deletes the data in the transaction that erases the session. Returns the counts for the report. */
  abstract forget(tx: Transaction, session: SessionRow): Promise<Partial<ErasureReport>>;
}

export const sessionKeepers = new Mark<SessionKeeper>([SessionKeeper], 'keep something of sessions');

/** Marks a provider that keeps data about sessions. */
export function KeepsOfSessions(): ClassDecorator {
  return sessionKeepers.marks(true);
}
