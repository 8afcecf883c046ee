import type { AdminActor, KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';

/** A sign-in to the console that has not ended. */
export interface KnownConsoleSession {
  id: Id<'consoleSession'>;
  actor: AdminActor;
}

/** Looks up sign-ins to the console. The access module implements it. */
export abstract class ConsoleDirectory {
  /** One indexed read. */
  abstract find(digest: string): Promise<KnownConsoleSession | null>;
  /** Returns the administrator as a caller who may do everything in one app, or null if there is no such app. */
  abstract inApp(session: KnownConsoleSession, appId: string): Promise<KeyActor | null>;
}
