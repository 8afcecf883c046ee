import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, PrimaryKeyProp, type Rel } from '@mikro-orm/postgresql';
import { NotAudited } from '../../../platform/audit/audited.js';
import type { RowOf } from '../../../platform/database/columns.js';
import { AttemptRepository } from './attempt.repository.js';
import { Delivery } from './delivery.entity.js';

/** One attempt to deliver, as it is logged: `DeliveryRepository` writes it as it counts it. */
@NotAudited('Attempts are a log already, of what the service does by itself')
@Entity({ tableName: 'webhook_attempt', repository: () => AttemptRepository })
export class Attempt {
  [EntityRepositoryType]?: AttemptRepository;
  [PrimaryKeyProp]?: ['delivery', 'number'];

  @ManyToOne(() => Delivery, { primary: true, deleteRule: 'cascade' })
  readonly delivery!: Rel<Delivery>;

  /** From 1 on. */
  @PrimaryKey({ type: 'integer' })
  readonly number!: number;

  @Property({ type: 'timestamptz' })
  readonly at!: Date;

  /** Of the receiver's answer; null where there was none. */
  @Property({ type: 'integer', nullable: true })
  readonly status!: number | null;

  @Property({ type: 'integer' })
  readonly latencyMs!: number;

  /** Why it did not count; null where it did. */
  @Property({ type: 'text', nullable: true })
  readonly error!: string | null;

  /** The first bytes of what the receiver answered. */
  @Property({ type: 'text', nullable: true })
  readonly answer!: string | null;

  /** Attempts come and go by statements alone. */
  protected constructor() {}
}

export type AttemptRow = RowOf<Attempt>;
