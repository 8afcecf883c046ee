import { Entity, Enum, Index, ManyToOne, OneToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, PrimaryKeyProp, type Rel } from '@mikro-orm/postgresql';
import { NotAudited } from '../../platform/audit/audited.js';
import { BIG_NUMBER, DECIMAL_NUMBER, ID, type RowOf, UNENFORCED } from '../../platform/database/columns.js';
import { Project } from '../tenancy/project.entity.js';
import { CallPayload } from './call-payload.entity.js';
import { CallRepository } from './call.repository.js';

/** Where the cost comes from: the writer ('o', its own), a price table ('t'), or nowhere ('u', unpriced). */
const PRICING_SOURCES = ['o', 't', 'u'] as const;
export type PricingSource = (typeof PRICING_SOURCES)[number];

/**
 * A call of a model: one row of the ledger, stored in the partition of its month. SQL writes and reads thousands of
 * calls at a time; the entity defines the table for the ORM. The table has no primary key, because its index would slow
 * down each write and no query needs it. The project, the time and the number together identify a row.
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

  /** Comes from a sequence that all projects share. */
  @PrimaryKey({ type: BIG_NUMBER, fieldName: 'n' })
  readonly number!: number;

  @PrimaryKey({ type: 'timestamptz', fieldName: 'ts' })
  readonly time!: Date;

  @Property({ type: BIG_NUMBER })
  readonly totalTokens!: number;

  @Property({ type: 'integer' })
  readonly inputTokens!: number;

  /** A part of the input tokens, not an addition to them. */
  @Property({ type: 'integer' })
  readonly cachedTokens!: number;

  @Property({ type: 'integer' })
  readonly completionTokens!: number;

  @Property({ type: 'integer' })
  readonly reasoningTokens!: number;

  @Property({ type: 'integer' })
  readonly latencyMs!: number;

  /** The size of the stored payload; 0 if none was kept. */
  @Property({ type: 'integer' })
  readonly payloadBytes!: number;

  /** The hash of the call's filter values, which are one row of `ledger_dim`. */
  @Property({ type: 'uuid' })
  readonly dim!: string;

  @Property({ type: DECIMAL_NUMBER })
  readonly cost!: number;

  @Enum({ type: 'text', columnType: '"char"', items: PRICING_SOURCES, ignoreSchemaChanges: ['type'] })
  readonly pricing!: PricingSource;

  /** Any text that the writer sent, so it need not name a session of Slipway. Empty if none was sent. */
  @Property({ ...ID })
  readonly sessionId!: string;

  /** The id that answers show and that `GET …/{id}` takes. It ends with the call's number. */
  @Property({ ...ID })
  readonly id!: string;

  /** The call's JSON without its closing brace: each answer appends `payloadState`, which may change later. */
  @Property({ type: 'text' })
  readonly doc!: string;

  /** Null if the call was not streamed, or was written before this column existed. */
  @Property({ type: 'integer', fieldName: 'first_token_ms', nullable: true })
  readonly timeToFirstTokenMs!: number | null;

  /** Null if the payload was not kept or has been deleted. */
  @OneToOne(() => CallPayload, (payload) => payload.call)
  readonly payload!: Rel<CallPayload> | null;

  /** Only `CallRepository.add` creates calls. */
  protected constructor() {}
}

export type CallRow = RowOf<Call, 'payload'>;
