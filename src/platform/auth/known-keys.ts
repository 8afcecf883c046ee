import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import { allThatHasArrived } from '../../kernel/event-loop.js';
import { RecentlyUsed } from '../../kernel/recently-used.js';
import { KeyDirectory, type KnownKey } from './key-directory.js';

const MAX_KEYS = 10_000;
/** The process relies on its listening connection for this time after the connection last answered. */
const TRUSTED_MS = 3_000;
/** After a notice about a key, the key is read each time until its change is committed, which takes less than this. */
export const CHANGE_TAKES_MS = 10_000;
/** An answer that took longer may be older than a change whose notice is forgotten again. */
const READ_TAKES_MS = CHANGE_TAKES_MS / 2;

/**
 * Keeps the keys that this process has looked up, so that the next request of a key costs no statement. Before a key
 * changes, `KeyChanges` has every process drop it. A process that may miss such a notice reads each key each time.
 */
@Injectable()
export class KnownKeys {
  private readonly known = new RecentlyUsed<string, KnownKey>(MAX_KEYS);
  /** The ids of keys and scopes that change, with the time until which nothing about them is kept. */
  private readonly changing = new Map<string, number>();
  private trustedUntil = 0;
  /** How often the listening connection was lost. An answer that was read across a loss is not kept. */
  private losses = 0;

  constructor(private readonly keys: KeyDirectory) {}

  async find(digest: string): Promise<KnownKey | null> {
    // A notice may have arrived that this process has not read yet, because it was busy or suspended.
    await allThatHasArrived();
    const known = this.isTrusted() ? this.known.get(digest) : undefined;
    return known && !hasEnded(known) ? known : this.read(digest);
  }

  /** Drops everything that depends on these keys and scopes. For a while, nothing new about them is kept. */
  drop(ids: readonly string[]): void {
    const now = performance.now();
    for (const [id, until] of this.changing) if (until < now) this.changing.delete(id);
    for (const id of ids) this.changing.set(id, now + CHANGE_TAKES_MS);
    this.known.deleteWhere((key) => this.isChanging(key));
  }

  /** The connection that brings notices answered what it was asked at this time, by `performance.now()`. */
  trustSince(askedAt: number): void {
    this.trustedUntil = askedAt + TRUSTED_MS;
  }

  /** Notices may have been missed. */
  distrust(): void {
    this.trustedUntil = 0;
    this.losses += 1;
    this.known.deleteWhere(() => true);
  }

  private async read(digest: string): Promise<KnownKey | null> {
    const { losses } = this;
    const begun = performance.now();
    const key = await this.keys.findKey(digest);
    const isNewest = losses === this.losses && performance.now() - begun < READ_TAKES_MS;
    if (key && isNewest && this.isTrusted() && !key.revoked && !this.isChanging(key)) this.known.set(digest, key);
    return key;
  }

  private isTrusted(): boolean {
    return performance.now() < this.trustedUntil;
  }

  private isChanging({ actor: { keyId, scopeId } }: KnownKey): boolean {
    const now = performance.now();
    return [keyId, scopeId].some((id) => (this.changing.get(id) ?? 0) >= now);
  }
}

/** The database decides between a key that has expired and one that ended so long ago that it is unknown. */
function hasEnded({ usableUntil }: KnownKey): boolean {
  return usableUntil !== null && usableUntil <= clock.now();
}
