import type { Transaction } from '../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import { KeyRevocations } from '../../platform/auth/key-revocations.js';
import { Jobs } from '../../platform/queue/jobs.js';
import { finishRevocation } from './access.jobs.js';

/** By then the request that revokes has done it itself, or has given up. */
const LOOK_AFTER_MS = 10_000;

/** The two halves of revoking a key: deciding it, in a transaction, and ending what runs with it. */
@Injectable()
export class RevocationsService {
  constructor(
    private readonly revocations: KeyRevocations,
    private readonly jobs: Jobs,
  ) {}

  /** From the commit on the key opens nothing, and its end is promised, whatever becomes of this process. */
  async decide(tx: Transaction, key: { id: string; revoke(): void }): Promise<void> {
    key.revoke();
    const runAt = new Date(clock.now().getTime() + LOOK_AFTER_MS);
    await this.jobs.add(tx, finishRevocation, { keyId: key.id }, { lane: key.id, runAt });
  }

  /** Returns when nothing runs with the keys any more, in any process, and their rows are gone. */
  finish(keyIds: readonly string[]): Promise<void> {
    return this.revocations.finish(keyIds);
  }
}
