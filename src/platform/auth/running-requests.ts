import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import { MINUTE_MS } from '../../kernel/spans.js';

/**
 * Longer than reading a key can take, so that a request that read the key just before its revocation is still stopped.
 */
const REMEMBER_REVOKED_MS = MINUTE_MS;

type Stop = () => void;

/** The requests of this process that run with a key, so that revoking the key can end them. */
@Injectable()
export class RunningRequests {
  private readonly stops = new Map<string, Set<Stop>>();
  private entered = 0;
  private readonly revoked = new Map<string, number>();

  /** Returns a function that removes the request. */
  enter(keyId: string, stop: Stop): () => void {
    this.entered += 1;
    const ofKey = this.stops.get(keyId) ?? new Set();
    this.stops.set(keyId, ofKey.add(stop));
    return () => {
      ofKey.delete(stop);
      if (ofKey.size === 0 && this.stops.get(keyId) === ofKey) this.stops.delete(keyId);
    };
  }

  revoke(keyId: string): void {
    this.forgetOld();
    this.revoked.set(keyId, clock.now().getTime());
    for (const stop of this.stops.get(keyId) ?? []) stop();
  }

  isRevoked(keyId: string): boolean {
    return this.revoked.has(keyId);
  }

  /** Returns whether a request ran since the last call. */
  takeActivity(): boolean {
    const wasActive = this.entered > 0 || this.stops.size > 0;
    this.entered = 0;
    return wasActive;
  }

  keysInUse(): string[] {
    return [...this.stops.keys()];
  }

  private forgetOld(): void {
    const limit = clock.now().getTime() - REMEMBER_REVOKED_MS;
    for (const [keyId, at] of this.revoked) if (at < limit) this.revoked.delete(keyId);
  }
}
