import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { authErrors } from './auth.errors.js';
import { KeyDirectory } from './key-directory.js';
import { REVOKED } from './key-listener.js';
import { KeyNotices } from './key-notices.js';
import { REVOCATION_TAKES_MS } from './key-recheck.js';

const FORGET_WITHIN_MS = 800;

/** Makes sure that no process goes on working for a revoked key. */
@Injectable()
export class KeyRevocations {
  constructor(
    private readonly keys: KeyDirectory,
    private readonly notices: KeyNotices,
  ) {}

  /**
   * Finishes a revocation, after the keys are marked as revoked and that is committed. It returns when no process works
   * for them any more and their rows are deleted, which also waits for transactions that are about to commit.
   */
  async finish(keyIds: readonly string[]): Promise<void> {
    const longEnough = wait(REVOCATION_TAKES_MS);
    await this.notices.notify(REVOKED, keyIds, authErrors.revocationPending);
    await this.keys.forget(keyIds, FORGET_WITHIN_MS);
    await longEnough;
  }
}
