import { Entity, Enum, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { Audited } from '../../platform/audit/audited.js';
import { ID, type RowOf } from '../../platform/database/columns.js';
import { Project } from '../tenancy/project.entity.js';
import { HostingProcess } from './hosting-process.entity.js';
import type { DeployModel, HyperParameters, OptimizationInfo, ScalingParameters } from './deploy-model.schema.js';
import { type Failure, Model, MODEL_TYPES, type ModelType } from './model.entity.js';
import { ModelDeploymentRepository } from './model-deployment.repository.js';

export const DEPLOYMENT_STATES = ['STARTING', 'LIVE', 'ENDED', 'FAILED'] as const;
export type DeploymentState = (typeof DEPLOYMENT_STATES)[number];

export type ModelDeploymentRow = RowOf<ModelDeployment>;

/** The topic of the notifications of how far the start of a deployment is. */
export const topicOf = (id: Id<'modelDeployment'>) => `deployment:${id}`;

/** A notification of how far the start is may say why it is not further. */
export interface StartNote {
  readonly reason: string;
}

/** One deployment of a model, with its parameters and the time in which it was live. */
@Audited({
  kind: 'modelDeployment',
  project: 'project',
  names: { baseModel: 'baseModelId' },
  unaudited: ['process', 'progress', 'trouble'],
})
@Entity({ tableName: 'model_deployment', repository: () => ModelDeploymentRepository })
@Unique({ properties: ['model', 'number'] })
@Unique({ name: 'model_deployment_of_model', properties: ['model'], where: `state in ('STARTING', 'LIVE')` })
@Index({ name: 'model_deployment_served', properties: ['host'], where: `state in ('STARTING', 'LIVE')` })
@Index({ name: 'model_deployment_name', properties: ['project', 'name'], where: `state = 'LIVE'` })
@Index({ name: 'model_deployment_base', properties: ['baseModel'] })
@Index({ name: 'model_deployment_holder', properties: ['process'] })
export class ModelDeployment {
  [EntityRepositoryType]?: ModelDeploymentRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'modelDeployment'> = newId('modelDeployment');

  @ManyToOne(() => Project, { deleteRule: 'no action' })
  readonly project: Project;

  @ManyToOne(() => Model, { deleteRule: 'cascade' })
  readonly model: Model;

  /** The model that an adapter changes. */
  @ManyToOne(() => Model, { nullable: true, deleteRule: 'set null' })
  baseModel: Model | null = null;

  @Property({ type: 'integer' })
  readonly number: number;

  @Property({ type: 'text' })
  readonly name: string;

  @Enum({ type: 'text', items: MODEL_TYPES })
  readonly modelType: ModelType;

  @Property({ type: 'json' })
  readonly hyperParameters: HyperParameters;

  @Property({ type: 'json' })
  readonly scalingParameters: ScalingParameters;

  @Property({ type: 'text' })
  readonly deviceType: string;

  @Property({ type: 'json', nullable: true })
  readonly optimizationInfo: OptimizationInfo | null;

  /** The kind of host that serves the deployment. No process claims it before this is set. */
  @Property({ type: 'text', nullable: true })
  host: string | null = null;

  @Enum({ type: 'text', items: DEPLOYMENT_STATES })
  state: DeploymentState = 'STARTING';

  @Property({ type: 'json', nullable: true })
  failure: Failure | null = null;

  /**
   * The process that has claimed the deployment. It writes this member and the next two with statements, so they are not
   * in the audit.
   */
  @ManyToOne(() => HostingProcess, { joinColumn: 'holder', nullable: true, deleteRule: 'set null' })
  readonly process!: HostingProcess | null;

  /** How far the start is, in per cent. */
  @Property({ type: 'integer', default: 0 })
  readonly progress!: number;

  /** Why the deployment cannot start, for the dock job that waits for it. */
  @Property({ type: 'json', nullable: true })
  readonly trouble!: Failure | null;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  @Property({ type: 'timestamptz', nullable: true })
  liveFrom: Date | null = null;

  @Property({ type: 'timestamptz', nullable: true })
  liveUntil: Date | null = null;

  constructor(model: Model, number: number, modelType: ModelType, parameters: DeployModel) {
    this.project = model.project;
    this.model = model;
    this.number = number;
    this.modelType = modelType;
    this.name = parameters.name;
    this.hyperParameters = parameters.hyperParameters;
    this.scalingParameters = parameters.scalingParameters;
    this.deviceType = parameters.deviceType;
    this.optimizationInfo = parameters.optimizationInfo ?? null;
  }

  serveOn(host: string, baseModel: Model | null): void {
    this.host = host;
    this.baseModel = baseModel;
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
