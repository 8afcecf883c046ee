import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { NotAudited } from '../audit/audited.js';
import { ID } from '../database/columns.js';
import { IdempotencyKeyRepository } from './idempotency-key.repository.js';

/** The answer to a request with an `Idempotency-Key`. Neither the key nor the request can be read back from it. */
@NotAudited('It repeats what was answered; what the request changed is audited')
@Entity({ tableName: 'idempotency_key', repository: () => IdempotencyKeyRepository })
@Index({ name: 'idempotency_key_age', properties: ['createdAt'] })
export class IdempotencyKey {
  [EntityRepositoryType]?: IdempotencyKeyRepository;

  /** A digest of caller, path and key. */
  @PrimaryKey({ ...ID })
  readonly id!: string;

  /** A digest of the request. */
  @Property({ type: 'text', collation: 'C' })
  readonly fingerprint!: string;

  /** The fence: a request with an older attempt has lost the key. */
  @Property({ type: 'integer' })
  readonly attempt!: number;

  @Property({ type: 'timestamptz' })
  readonly leaseUntil!: Date;

  /** Null while the request runs. */
  @Property({ type: 'text', nullable: true })
  readonly answerSealed!: string | null;

  @Property({ type: 'timestamptz' })
  readonly createdAt!: Date;
}
