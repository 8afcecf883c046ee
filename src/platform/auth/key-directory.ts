import type { AdminActor, KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';

/**
 * A key as it is stored. `usableUntil` is the earlier of the key's expiry and the end of the grace period of a
 * rotation.
 */
export interface KnownKey {
  actor: KeyActor & { keyId: Id<'apiKey'> };
  usableUntil: Date | null;
  revoked: boolean;
}

/** Looks up keys. The access module implements it. */
export abstract class KeyDirectory {
  /** Finds the row with one indexed read. `KnownKeys` keeps the answers. */
  abstract findKey(digest: string): Promise<KnownKey | null>;
  /** Reads again what the actor may do: its key may have lost permissions since its request began, or be gone. */
  abstract readAgain(actor: KeyActor): Promise<KeyActor | null>;
  abstract findAdminKey(digest: string): Promise<AdminActor | null>;
  /** Returns those of the given keys that are still valid. */
  abstract stillValid(keyIds: readonly string[]): Promise<Set<string>>;
  /**
   * Deletes the rows of revoked keys. It waits at most `withinMs` for transactions with an actor lock on one of them.
   */
  abstract forget(keyIds: readonly string[], withinMs: number): Promise<void>;
  /** Records that a key was used. No request waits for it. */
  abstract noteUse(keyId: Id<'apiKey'>): void;
}
