import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, PrimaryKeyProp, type Rel } from '@mikro-orm/postgresql';
import { NotAudited } from '../../../platform/audit/audited.js';
import type { RowOf } from '../../../platform/database/columns.js';
import { AttemptRepository } from './attempt.repository.js';
import { Delivery } from './delivery.entity.js';

/** The log entry of an attempt. `DeliveryRepository` writes it in the statement that counts the attempt. */
@NotAudited('Attempts are themselves a log of what the service did')
@Entity({ tableName: 'webhook_attempt', repository: () => AttemptRepository })
export class Attempt {
  [EntityRepositoryType]?: AttemptRepository;
  [PrimaryKeyProp]?: ['delivery', 'number'];

  @ManyToOne(() => Delivery, { primary: true, deleteRule: 'cascade' })
  readonly delivery!: Rel<Delivery>;

  /** The attempts of a delivery are numbered from 1. */
  @PrimaryKey({ type: 'integer' })
  readonly number!: number;

  @Property({ type: 'timestamptz' })
  readonly at!: Date;

  /** The address that was called; null if no request was sent. */
  @Property({ type: 'text', nullable: true })
  readonly url!: string | null;

  /** The status of the receiver's answer; null if there was none. */
  @Property({ type: 'integer', nullable: true })
  readonly status!: number | null;

  @Property({ type: 'integer' })
  readonly latencyMs!: number;

  /** Why the attempt failed; null if it succeeded. */
  @Property({ type: 'text', nullable: true })
  readonly error!: string | null;

  /** The beginning of the receiver's answer. */
  @Property({ type: 'text', nullable: true })
  readonly answer!: string | null;

  /** Only statements write attempts, so no code constructs one. */
  protected constructor() {}
}

export type AttemptRow = RowOf<Attempt>;
