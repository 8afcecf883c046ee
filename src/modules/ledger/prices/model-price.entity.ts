import { Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import { type Id, newId } from '../../../kernel/ids.js';
import { Audited } from '../../../platform/audit/audited.js';
import { DECIMAL_NUMBER, ID, type RowOf } from '../../../platform/database/columns.js';
import { Project } from '../../tenancy/project.entity.js';
import { ModelPriceRepository } from './model-price.repository.js';
import type { Price } from './price-table.js';

/** The price of a model for one project. It takes precedence over the price file. */
@Audited({ kind: 'modelPrice', project: 'project' })
@Entity({ tableName: 'model_price', repository: () => ModelPriceRepository })
@Unique({ name: 'model_price_of', properties: ['project', 'model', 'provider'] })
@Index({ name: 'model_price_project', properties: ['project', 'id'] })
export class ModelPrice {
  [EntityRepositoryType]?: ModelPriceRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'modelPrice'> = newId('modelPrice');

  @ManyToOne(() => Project, { deleteRule: 'cascade' })
  readonly project: Project;

  @Property({ type: 'text' })
  readonly model: string;

  /** Empty for any provider. */
  @Property({ type: 'text' })
  readonly provider: string;

  @Property({ type: DECIMAL_NUMBER })
  input!: number;

  @Property({ type: DECIMAL_NUMBER, nullable: true })
  cachedInput!: number | null;

  @Property({ type: DECIMAL_NUMBER })
  output!: number;

  @Property({ type: DECIMAL_NUMBER, nullable: true })
  reasoning!: number | null;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  constructor(project: Project, model: string, provider: string, price: Price) {
    this.project = project;
    this.model = model;
    this.provider = provider;
    this.change(price);
  }

  change(price: Partial<Price>): void {
    this.input = price.input ?? this.input;
    this.output = price.output ?? this.output;
    this.cachedInput = price.cachedInput === undefined ? (this.cachedInput ?? null) : price.cachedInput;
    this.reasoning = price.reasoning === undefined ? (this.reasoning ?? null) : price.reasoning;
  }
}

export type ModelPriceRow = RowOf<ModelPrice>;
