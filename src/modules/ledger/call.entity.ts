import { Entity, Enum, Index, ManyToOne, OneToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, PrimaryKeyProp, type Rel } from '@mikro-orm/postgresql';
import { NotAudited } from '../../platform/audit/audited.js';
import { BIG_NUMBER, DECIMAL_NUMBER, ID, type RowOf, UNENFORCED } from '../../platform/database/columns.js';
import { Project } from '../tenancy/project.entity.js';
import { CallPayload } from './call-payload.entity.js';
import { CallRepository } from './call.repository.js';

/** Who said what the call cost: its writer ('o'), the price table ('t'), or nobody ('u'). */
const PRICINGS = ['o', 't', 'u'] as const;
export type Pricing = (typeof PRICINGS)[number];

/**
 * A call of a model: one row of the ledger, in the partition of its month. It is written and read by SQL, thousands at a
 * time; the entity is for modules that look for single ones. The table has no primary key, since nobody looks for one:
 * what names a row is its project, its time and its number.
 */
@NotAudited('A call is a record of what ran, not configuration')
@Entity({ tableName: 'ledger_row', repository: () => CallRepository })
@Index({ name: 'ledger_row_time', properties: ['project', 'time'] })
@Index({ name: 'ledger_row_dim', properties: ['project', 'dim', 'time'] })
@Index({ name: 'ledger_row_session', properties: ['project', 'sessionId', 'time'] })
@Index({ name: 'ledger_row_cost', properties: ['project', 'cost', 'time'] })
@Index({ name: 'ledger_row_latency', properties: ['project', 'latencyMs', 'time'] })
@Index({ name: 'ledger_row_tokens', properties: ['project', 'totalTokens', 'time'] })
export class Call {
  [EntityRepositoryType]?: CallRepository;
  [PrimaryKeyProp]?: ['project', 'number', 'time'];

  @ManyToOne(() => Project, { primary: true, ...UNENFORCED })
  readonly project!: Project;

  /** Given by a sequence that all projects share. */
  @PrimaryKey({ type: BIG_NUMBER, fieldName: 'n' })
  readonly number!: number;

  @PrimaryKey({ type: 'timestamptz', fieldName: 'ts' })
  readonly time!: Date;

  @Property({ type: BIG_NUMBER })
  readonly totalTokens!: number;

  @Property({ type: 'integer' })
  readonly inputTokens!: number;

  /** Part of the input tokens. */
  @Property({ type: 'integer' })
  readonly cachedTokens!: number;

  @Property({ type: 'integer' })
  readonly completionTokens!: number;

  @Property({ type: 'integer' })
  readonly reasoningTokens!: number;

  @Property({ type: 'integer' })
  readonly latencyMs!: number;

  /** The size of its payload; 0 where none was kept. */
  @Property({ type: 'integer' })
  readonly payloadBytes!: number;

  /** The combination of its filter values: a row of `ledger_dim`. */
  @Property({ type: 'uuid' })
  readonly dim!: string;

  @Property({ type: DECIMAL_NUMBER })
  readonly cost!: number;

  @Enum({ type: 'text', columnType: '"char"', items: PRICINGS, ignoreSchemaChanges: ['type'] })
  readonly pricing!: Pricing;

  /** As its writer gave it: it need not be a session of ours. Empty where none was given. */
  @Property({ ...ID })
  readonly sessionId!: string;

  /** By which readers ask for it. */
  @Property({ ...ID })
  readonly id!: string;

  /** The JSON of answers, but for its end, which changes. */
  @Property({ type: 'text' })
  readonly doc!: string;

  /** None where it was not kept, or is no more. */
  @OneToOne(() => CallPayload, (payload) => payload.call)
  readonly payload!: Rel<CallPayload> | null;

  /** Calls are made by `CallRepository.add` alone. */
  protected constructor() {}
}

export type CallRow = RowOf<Call, 'payload'>;
