import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { Audited } from '../../platform/audit/audited.js';
import { Project } from '../tenancy/project.entity.js';
import type { DeployModel, HyperParameters, OptimizationInfo, ScalingParameters } from './deploy-model.schema.js';
import { type Failure, Model, type ModelType } from './model.entity.js';
import { ModelDeploymentRepository } from './model-deployment.repository.js';

export const DEPLOYMENT_STATES = ['STARTING', 'LIVE', 'ENDED', 'FAILED'] as const;
export type DeploymentState = (typeof DEPLOYMENT_STATES)[number];

/** A model as it was deployed once: with which parameters, and when it was live. */
@Audited({ kind: 'modelDeployment', project: 'project' })
@Entity({ tableName: 'model_deployment', repository: () => ModelDeploymentRepository })
export class ModelDeployment {
  [EntityRepositoryType]?: ModelDeploymentRepository;

  @PrimaryKey({ type: 'text' })
  readonly id: Id<'modelDeployment'> = newId('modelDeployment');

  @ManyToOne(() => Project, { deleteRule: 'no action' })
  readonly project: Project;

  @ManyToOne(() => Model, { deleteRule: 'cascade' })
  readonly model: Model;

  /** Of an adapter: the model that it changes. */
  @Property({ type: 'text', nullable: true })
  baseModelId: Id<'model'> | null = null;

  @Property({ type: 'integer' })
  readonly number: number;

  @Property({ type: 'text' })
  readonly name: string;

  @Property({ type: 'text' })
  readonly modelType: ModelType;

  @Property({ type: 'json' })
  readonly hyperParameters: HyperParameters;

  @Property({ type: 'json' })
  readonly scalingParameters: ScalingParameters;

  @Property({ type: 'text' })
  readonly deviceType: string;

  @Property({ type: 'json', nullable: true })
  readonly optimizationInfo: OptimizationInfo | null;

  /** The kind of host that serves it. Nobody takes it up before it is said. */
  @Property({ type: 'text', nullable: true })
  host: string | null = null;

  @Property({ type: 'text' })
  state: DeploymentState = 'STARTING';

  @Property({ type: 'json', nullable: true })
  failure: Failure | null = null;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  @Property({ type: 'timestamptz', nullable: true })
  liveFrom: Date | null = null;

  @Property({ type: 'timestamptz', nullable: true })
  liveUntil: Date | null = null;

  constructor(model: Model, number: number, modelType: ModelType, wish: DeployModel) {
    this.project = model.project;
    this.model = model;
    this.number = number;
    this.modelType = modelType;
    this.name = wish.name;
    this.hyperParameters = wish.hyperParameters;
    this.scalingParameters = wish.scalingParameters;
    this.deviceType = wish.deviceType;
    this.optimizationInfo = wish.optimizationInfo ?? null;
  }

  serveOn(host: string, baseModelId: Id<'model'> | null): void {
    this.host = host;
    this.baseModelId = baseModelId;
  }

  live(): void {
    this.state = 'LIVE';
    this.liveFrom = clock.now();
  }

  fail(failure: Failure): void {
    this.state = 'FAILED';
    this.failure = failure;
  }

  end(): void {
    this.state = 'ENDED';
    this.liveUntil = clock.now();
  }
}
