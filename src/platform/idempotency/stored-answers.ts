import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import { withRetries } from '../../kernel/retries.js';
import { defineSealed } from '../crypto/sealed-column.js';
import { SealedTextError } from '../crypto/sealed-text-error.js';
import { Vault } from '../crypto/vault.js';
import { Database } from '../database/database.js';
import { isOutage } from '../database/database.errors.js';
import type { Statement } from '../database/statement.js';
import type { Transaction } from '../database/transaction.js';
import { Log } from '../telemetry/log.js';
import { idempotencyErrors } from './idempotency.errors.js';
import { type Claim, IdempotencyKeyRepository, LEASE_SECONDS } from './idempotency-key.repository.js';

/** A request normally ends long before its lease does, and one that failed in an outage releases its key. */
const ASK_AGAIN_SECONDS = 5;
const WRITE_EVERY_MS = 1_000;

const answerColumn = defineSealed({ table: 'idempotency_key', column: 'answer_sealed' });

/**
 * Stores the answers to requests with an Idempotency-Key, sealed. Of the requests themselves it stores only digests.
 */
@Injectable()
export class StoredAnswers implements OnApplicationShutdown {
  private readonly stopping = new AbortController();

  constructor(
    private readonly database: Database,
    private readonly keys: IdempotencyKeyRepository,
    private readonly vault: Vault,
    private readonly log: Log,
  ) {}

  /**
   * Returns null if the key is taken. If a request died, the key is free for the same request when it is sent again.
   */
  async claim(id: string, fingerprint: string): Promise<Claim | null> {
    const now = clock.now();
    try {
      return await this.database.ask(this.keys.claim(id, fingerprint, now));
    } catch (error) {
      // The claim may be committed although its answer is lost.
      if (isOutage(error)) this.writeAfterOutage(this.keys.releaseClaimedAt(id, now));
      throw error;
    }
  }

  /** Returns the answer to the key's first request. Refuses if that was a different request or has not ended yet. */
  async read(id: string, fingerprint: string): Promise<unknown> {
    const key = await this.database.ask(this.keys.read(id));
    if (!key) throw idempotencyErrors.inProgress();
    if (key.fingerprint !== fingerprint) throw idempotencyErrors.keyReused();
    const retryAfter = Math.min(Math.max(1, Math.ceil(key.secondsLeft)), ASK_AGAIN_SECONDS);
    if (key.answerSealed === null) throw idempotencyErrors.inProgress({ retryAfter });
    return JSON.parse(this.unseal(id, key.answerSealed));
  }

  /** Stores the answer in the transaction of the effect. Refuses if another request has claimed the key meanwhile. */
  async keep(tx: Transaction, claim: Claim, answer: unknown): Promise<void> {
    const isKept = await tx.ask(this.keys.keep(claim, this.seal(claim, answer)));
    if (!isKept) throw idempotencyErrors.inProgress();
  }

  /**
   * Stores an answer where there is no effect. An answer that is stored already stays, because a commit can succeed
   * although its reply is lost. Answers with false if another request has claimed the key meanwhile.
   */
  async keepAlone(claim: Claim, answer: unknown): Promise<boolean> {
    const isKept = await this.writtenInTheEnd(this.keys.keepFirst(claim, this.seal(claim, answer)));
    return isKept ?? true;
  }

  /** Deletes the key, as if the request had not been sent. */
  async release(claim: Claim): Promise<void> {
    await this.writtenInTheEnd(this.keys.release(claim));
  }

  onApplicationShutdown(): void {
    this.stopping.abort();
  }

  /** Answers with nothing if the database is away, and then writes when it is back. */
  private async writtenInTheEnd<Result>(statement: Statement<Result>): Promise<Result | undefined> {
    try {
      return await this.database.ask(statement);
    } catch (error) {
      if (!isOutage(error)) throw error;
      this.writeAfterOutage(statement);
      return undefined;
    }
  }

  /** The request does not wait for this. A key that is still taken at the end of its lease can be claimed then. */
  private writeAfterOutage(statement: Statement<unknown>): void {
    const attempt = () => this.database.apart(() => this.database.ask(statement));
    const pauseAfter = (error: unknown, number: number) =>
      isOutage(error) && number < LEASE_SECONDS ? WRITE_EVERY_MS : undefined;
    void withRetries(attempt, pauseAfter, this.stopping.signal).catch((error: unknown) =>
      this.log.warn({ err: error }, 'An Idempotency-Key stays reserved until its lease ends'),
    );
  }

  private unseal(id: string, sealed: string): string {
    try {
      return this.vault.open(sealed, answerColumn, id);
    } catch (cause) {
      throw cause instanceof SealedTextError ? idempotencyErrors.answerLost({ cause }) : cause;
    }
  }

  private seal({ id }: Claim, answer: unknown): string {
    return this.vault.seal(JSON.stringify(answer), answerColumn, id);
  }
}
