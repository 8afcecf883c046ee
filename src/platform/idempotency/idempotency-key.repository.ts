import { EntityRepository } from '@mikro-orm/postgresql';
import { columnsOf, newRow, type RowOf } from '../database/columns.js';
import { planned, sql } from '../database/sql.js';
import { exists, row, type Statement, write } from '../database/statement.js';
import { IdempotencyKey } from './idempotency-key.entity.js';

/** How long a request may run before another one with the same key may claim the key. */
export const LEASE_SECONDS = 60;
export const KEPT_HOURS = 24;

/**
 * The right of one request to act for a key. The attempt is the fence: a request with an older one has lost the key.
 */
export type Claim = Pick<IdempotencyKey, 'id' | 'attempt'>;

export interface KeyRow extends RowOf<IdempotencyKey> {
  secondsLeft: number;
}

export class IdempotencyKeyRepository extends EntityRepository<IdempotencyKey> {
  /** Answers null if the key is taken. A request that died leaves its key to the same request, sent again. */
  claim(id: string, fingerprint: string, now: Date): Statement<Claim | null> {
    const key = {
      id,
      fingerprint,
      attempt: 1,
      leaseUntil: sql`now() + make_interval(secs => ${LEASE_SECONDS})`,
      createdAt: now,
    };
    return row<Claim>(sql`
      insert into idempotency_key as k ${newRow(IdempotencyKey, key)}
      on conflict (id) do update set fingerprint = excluded.fingerprint, attempt = k.attempt + 1,
        lease_until = excluded.lease_until, created_at = excluded.created_at, answer_sealed = null
      where k.created_at < ${now}::timestamptz - make_interval(hours => ${KEPT_HOURS})
        or (k.answer_sealed is null and k.lease_until < now() and k.fingerprint = excluded.fingerprint)
      returning id, attempt`);
  }

  read(id: string): Statement<KeyRow | null> {
    return row<KeyRow>(sql`
      select ${columnsOf(IdempotencyKey)}, extract(epoch from lease_until - now())::float8 as "secondsLeft"
      from idempotency_key where id = ${id}`);
  }

  /** Answers whether the claim was still valid. */
  keep({ id, attempt }: Claim, answerSealed: string): Statement<boolean> {
    return exists(
      planned`update idempotency_key set answer_sealed = ${answerSealed}
              where id = ${id} and attempt = ${attempt} returning id`,
    );
  }

  /** Stores the answer unless there already is one, or another request has claimed the key. Answers whether it did. */
  keepFirst({ id, attempt }: Claim, answerSealed: string): Statement<boolean> {
    return exists(sql`
      update idempotency_key set answer_sealed = ${answerSealed}
      where id = ${id} and attempt = ${attempt} and answer_sealed is null returning id`);
  }

  /** Deletes the key if it was claimed at this time and has no answer, for a claim whose own answer was lost. */
  releaseClaimedAt(id: string, now: Date): Statement<void> {
    return write(sql`
      delete from idempotency_key where id = ${id} and created_at = ${now}::timestamptz and answer_sealed is null`);
  }

  /** Deletes the key, as if the request had not been sent. */
  release({ id, attempt }: Claim): Statement<void> {
    return write(sql`
      delete from idempotency_key where id = ${id} and attempt = ${attempt} and answer_sealed is null`);
  }
}
