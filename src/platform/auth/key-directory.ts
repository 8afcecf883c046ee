import type { AdminActor, KeyActor } from '../../kernel/actor.js';

/** What is known of a key value; `usableUntil` is the earlier of the key's expiry and the end of a rotation's grace. */
export interface KnownKey {
  actor: KeyActor;
  usableUntil: Date | null;
  revoked: boolean;
}

/** Where keys are looked up. The access module implements it. */
export abstract class KeyDirectory {
  /** One indexed read. */
  abstract findKey(digest: string): Promise<KnownKey | null>;
  abstract findAdminKey(digest: string): Promise<AdminActor | null>;
  /** The given keys that are still good. */
  abstract stillGood(keyIds: readonly string[]): Promise<Set<string>>;
  /** Deletes the rows of revoked keys, waiting at most `withinMs` for transactions that hold one. */
  abstract forget(keyIds: readonly string[], withinMs: number): Promise<void>;
  /** Remembers that a key was used. Never awaited by a request. */
  abstract noteUse(actor: KeyActor): void;
}
