import type { AdminActor, KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';

/** A sign-in to the console that has not ended. */
export interface KnownConsoleSession {
  id: Id<'consoleSession'>;
  actor: AdminActor;
}

/** Looks up sign-ins to the console. The access module implements it. */
export abstract class ConsoleDirectory {
  /** Finds the row with one indexed read, because every request of such a caller waits for it. */
  abstract find(digest: string): Promise<KnownConsoleSession | null>;
  /** Returns the administrator as a caller with every permission in one app, or null if there is no such app. */
  abstract inApp(session: KnownConsoleSession, appId: string): Promise<KeyActor | null>;
}
