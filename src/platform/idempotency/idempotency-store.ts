import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import { SealedTextError } from '../crypto/sealed-text-error.js';
import { defineSealed } from '../crypto/sealed-column.js';
import { Vault } from '../crypto/vault.js';
import { planned } from '../database/sql.js';
import { Statements } from '../database/statements.js';
import { idempotencyErrors } from './idempotency.errors.js';

/** How long a request may run before another with the same key may take its place. */
const LEASE_SECONDS = 60;
export const KEPT_HOURS = 24;

/** The right to act for a key. Its attempt is the fence: whoever has an older one has lost it. */
export interface Claim {
  id: string;
  attempt: number;
}

interface KeyRow {
  fingerprint: string;
  answerSealed: string | null;
  secondsLeft: number;
}

const answerColumn = defineSealed({ table: 'idempotency_key', column: 'answer_sealed' });

/** What was answered to requests with an Idempotency-Key. Of the requests themselves only digests are kept. */
@Injectable()
export class IdempotencyStore {
  constructor(
    private readonly statements: Statements,
    private readonly vault: Vault,
  ) {}

  /** Nothing when the key is taken. A request that died leaves its key to the same request, sent again. */
  async claim(id: string, fingerprint: string): Promise<Claim | null> {
    const [row] = await this.statements.run<{ attempt: number }>(
      `insert into idempotency_key as k (id, fingerprint, attempt, lease_until, created_at)
       values ($1, $2, 1, now() + make_interval(secs => ${LEASE_SECONDS}), $3::timestamptz)
       on conflict (id) do update set fingerprint = excluded.fingerprint, attempt = k.attempt + 1,
         lease_until = excluded.lease_until, created_at = excluded.created_at, answer_sealed = null
       where k.created_at < $3::timestamptz - make_interval(hours => ${KEPT_HOURS})
         or (k.answer_sealed is null and k.lease_until < now() and k.fingerprint = excluded.fingerprint)
       returning attempt`,
      [id, fingerprint, clock.now()],
    );
    return row ? { id, attempt: row.attempt } : null;
  }

  /** What the key's first request was answered. Refuses when that was another request, or has not ended yet. */
  async read(id: string, fingerprint: string): Promise<unknown> {
    const [row] = await this.statements.run<KeyRow>(
      `select fingerprint, answer_sealed as "answerSealed",
         extract(epoch from lease_until - now())::float8 as "secondsLeft"
       from idempotency_key where id = $1`,
      [id],
    );
    if (!row) throw idempotencyErrors.inProgress();
    if (row.fingerprint !== fingerprint) throw idempotencyErrors.keyReused();
    const retryAfter = Math.max(1, Math.ceil(row.secondsLeft));
    if (row.answerSealed === null) throw idempotencyErrors.inProgress({ retryAfter });
    return JSON.parse(this.unseal(id, row.answerSealed));
  }

  /** In the transaction of the effect. Refuses when another request has taken the place meanwhile. */
  async keep(em: EntityManager, { id, attempt }: Claim, answer: unknown): Promise<void> {
    const rows = await this.statements.runIn(
      em,
      planned`update idempotency_key set answer_sealed = ${this.seal(id, answer)}
              where id = ${id} and attempt = ${attempt} returning id`,
    );
    if (rows.length === 0) throw idempotencyErrors.inProgress();
  }

  /** The same, where there is no effect. What was kept already stays: a commit can succeed and its answer be lost. */
  async keepAlone({ id, attempt }: Claim, answer: unknown): Promise<void> {
    await this.statements.run(
      'update idempotency_key set answer_sealed = $1 where id = $2 and attempt = $3 and answer_sealed is null',
      [this.seal(id, answer), id, attempt],
    );
  }

  /** As if the request had not been sent. */
  async release({ id, attempt }: Claim): Promise<void> {
    await this.statements.run('delete from idempotency_key where id = $1 and attempt = $2 and answer_sealed is null', [
      id,
      attempt,
    ]);
  }

  private unseal(id: string, sealed: string): string {
    try {
      return this.vault.open(sealed, answerColumn, id);
    } catch (cause) {
      throw cause instanceof SealedTextError ? idempotencyErrors.answerLost({ cause }) : cause;
    }
  }

  private seal(id: string, answer: unknown): string {
    return this.vault.seal(JSON.stringify(answer), answerColumn, id);
  }
}
