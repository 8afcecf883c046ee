import type { Transaction } from '../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import { Events } from '../../platform/events/events.js';
import { KeyRevocations } from '../../platform/auth/key-revocations.js';
import { Jobs } from '../../platform/queue/jobs.js';
import type { App } from '../tenancy/app.entity.js';
import { ApiKeyRevoked, payloadOf } from './access.events.js';
import { finishRevocation } from './access.jobs.js';
import type { ApiKey } from './api-key.entity.js';

/** The job comes later than the request, which finishes the revocation itself or answers 503 within five seconds. */
const FINISH_JOB_DELAY_MS = 10_000;

/** Revokes a key in two steps: a transaction marks it as revoked, and then everything that runs with it is stopped. */
@Injectable()
export class RevocationsService {
  constructor(
    private readonly revocations: KeyRevocations,
    private readonly jobs: Jobs,
    private readonly events: Events,
  ) {}

  /** From the commit on, the key is refused. A job finishes the revocation if this process dies before it has done so. */
  async begin(tx: Transaction, key: { id: string; revoke(): void }): Promise<void> {
    key.revoke();
    const runAt = new Date(clock.now().getTime() + FINISH_JOB_DELAY_MS);
    await this.jobs.add(tx, finishRevocation, { keyId: key.id }, { lane: key.id, runAt });
  }

  /** Begins to revoke an API key. The event is published when the first of several revocations begins. */
  async beginOfApiKey(tx: Transaction, app: App, key: ApiKey): Promise<void> {
    if (key.revokedAt === null) await this.events.publish(tx, ApiKeyRevoked, payloadOf(app, key));
    await this.begin(tx, key);
  }

  /** Returns when no request runs with the keys any more, in any process, and their rows are deleted. */
  finish(keyIds: readonly string[]): Promise<void> {
    return this.revocations.finish(keyIds);
  }
}
