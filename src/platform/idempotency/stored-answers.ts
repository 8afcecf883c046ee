import { Injectable } from '@nestjs/common';
import { defineSealed } from '../crypto/sealed-column.js';
import { SealedTextError } from '../crypto/sealed-text-error.js';
import { Vault } from '../crypto/vault.js';
import { Database } from '../database/database.js';
import type { Transaction } from '../database/transaction.js';
import { idempotencyErrors } from './idempotency.errors.js';
import { type Claim, IdempotencyKeyRepository } from './idempotency-key.repository.js';

const answerColumn = defineSealed({ table: 'idempotency_key', column: 'answer_sealed' });

/**
 * Stores the answers to requests with an Idempotency-Key, sealed. Of the requests themselves it stores only digests.
 */
@Injectable()
export class StoredAnswers {
  constructor(
    private readonly database: Database,
    private readonly keys: IdempotencyKeyRepository,
    private readonly vault: Vault,
  ) {}

  /** Returns null if the key is taken. A request that died leaves its key to the same request, sent again. */
  claim(id: string, fingerprint: string): Promise<Claim | null> {
    return this.database.ask(this.keys.claim(id, fingerprint));
  }

  /** Returns the answer to the key's first request. Refuses if that was a different request or has not ended yet. */
  async read(id: string, fingerprint: string): Promise<unknown> {
    const key = await this.database.ask(this.keys.read(id));
    if (!key) throw idempotencyErrors.inProgress();
    if (key.fingerprint !== fingerprint) throw idempotencyErrors.keyReused();
    const retryAfter = Math.max(1, Math.ceil(key.secondsLeft));
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
   * although its reply is lost.
   */
  async keepAlone(claim: Claim, answer: unknown): Promise<void> {
    await this.database.ask(this.keys.keepFirst(claim, this.seal(claim, answer)));
  }

  /** Deletes the key, as if the request had not been sent. */
  async release(claim: Claim): Promise<void> {
    await this.database.ask(this.keys.release(claim));
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
