import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { Audited } from '../../platform/audit/audited.js';
import { Project } from '../tenancy/project.entity.js';
import { ModelPriceRepository } from './model-price.repository.js';
import type { Price } from './price-table.js';

/** What a model costs one project, instead of what the price file says. */
@Audited({ kind: 'modelPrice', project: 'project' })
@Entity({ tableName: 'model_price', repository: () => ModelPriceRepository })
export class ModelPrice {
  [EntityRepositoryType]?: ModelPriceRepository;

  @PrimaryKey({ type: 'text' })
  readonly id: Id<'modelPrice'> = newId('modelPrice');

  @ManyToOne(() => Project)
  readonly project: Project;

  @Property({ type: 'text' })
  readonly model: string;

  /** '' is any. */
  @Property({ type: 'text' })
  readonly provider: string;

  @Property({ type: 'numeric', runtimeType: 'number' })
  input!: number;

  @Property({ type: 'numeric', runtimeType: 'number', nullable: true })
  cachedInput!: number | null;

  @Property({ type: 'numeric', runtimeType: 'number' })
  output!: number;

  @Property({ type: 'numeric', runtimeType: 'number', nullable: true })
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
