import { Check, Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { Audited } from '../../platform/audit/audited.js';
import { BIG_NUMBER, ID } from '../../platform/database/columns.js';
import { nothingToUndeploy } from '../dock/dock.errors.js';
import { File } from '../files/file.entity.js';
import { UploadSession } from '../files/upload-session.entity.js';
import { Project } from '../tenancy/project.entity.js';
import type { Facts, Inspected } from './contents/facts.js';
import { ModelRepository } from './model.repository.js';
import { modelsErrors } from './models.errors.js';

export const MODEL_STATES = ['IMPORTING', 'READY_TO_DEPLOY', 'FAILED', 'DEPLOYING', 'DEPLOYED'] as const;
export type ModelState = (typeof MODEL_STATES)[number];

export const MODEL_KINDS = ['model', 'adapter', 'dataset'] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

export const MODEL_TYPES = ['openSource', 'fineTune'] as const;
export type ModelType = (typeof MODEL_TYPES)[number];

export interface Failure {
  code: string;
  message: string;
}

export interface NewModel {
  scopeId: Id<'scope'>;
  upload: UploadSession;
  name: string;
  isAdapter: boolean;
  isDataset: boolean;
  fileName: string;
  size: number;
}

/** A model, an adapter or a dataset of a project. It exists from the start of its upload, and its file never changes. */
@Audited({ kind: 'model', project: 'project', names: { upload: 'uploadId', file: 'fileId' } })
@Entity({ tableName: 'model', repository: () => ModelRepository })
@Index({ name: 'model_project', properties: ['project', 'id'] })
@Index({ name: 'model_upload', properties: ['upload'] })
@Index({ name: 'model_file', properties: ['file'] })
@Check({ expression: `upload_id is null or state = 'IMPORTING'` })
@Check({ name: 'model_check1', expression: `(state = 'FAILED') = (failure is not null)` })
export class Model {
  [EntityRepositoryType]?: ModelRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'model'> = newId('model');

  @ManyToOne(() => Project, { deleteRule: 'no action' })
  readonly project: Project;

  /** The scope of the key that imports the model; null if it is not known. */
  @Property({ ...ID, nullable: true })
  readonly scopeId: Id<'scope'> | null;

  /** The upload, until it is complete. */
  @ManyToOne(() => UploadSession, { nullable: true, deleteRule: 'cascade' })
  upload: UploadSession | null;

  @ManyToOne(() => File, { nullable: true, deleteRule: 'set null' })
  file: File | null = null;

  @Property({ type: 'text' })
  name: string;

  /** The kind that the upload names, until the import has found out the real one. */
  @Enum({ type: 'text', items: MODEL_KINDS })
  kind: ModelKind;

  /** Whether the upload was started with `isAdapter`. */
  @Property({ type: 'boolean' })
  readonly isAdapter: boolean;

  @Property({ type: 'boolean' })
  isFineTuned = false;

  @Enum({ type: 'text', items: MODEL_STATES })
  state: ModelState = 'IMPORTING';

  @Property({ type: 'text' })
  readonly fileName: string;

  @Property({ type: BIG_NUMBER })
  readonly size: number;

  @Property({ type: 'json', nullable: true })
  facts: Facts | null = null;

  /** Why the import failed. */
  @Property({ type: 'json', nullable: true })
  failure: Failure | null = null;

  /** How often the model was deployed, which is also the number of its last deployment. */
  @Property({ type: 'integer' })
  deployments = 0;

  /** Whether a deployment of the model was ever live. */
  @Property({ type: 'boolean' })
  wasDeployed = false;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  @Property({ type: 'timestamptz' })
  changedAt: Date = this.createdAt;

  constructor(project: Project, { scopeId, upload, name, isAdapter, isDataset, fileName, size }: NewModel) {
    this.project = project;
    this.scopeId = scopeId;
    this.upload = upload;
    this.name = name;
    this.isAdapter = isAdapter;
    this.kind = isDataset ? 'dataset' : isAdapter ? 'adapter' : 'model';
    this.fileName = fileName;
    this.size = size;
  }

  /** The `modelType` with which the model has to be deployed. */
  get modelType(): ModelType {
    return this.kind === 'adapter' || this.isFineTuned ? 'fineTune' : 'openSource';
  }

  arrived(file: File): void {
    this.upload = null;
    this.file = file;
    this.changedAt = clock.now();
  }

  imported({ kind, facts }: Inspected): void {
    this.kind = kind;
    this.facts = facts;
    this.move('READY_TO_DEPLOY');
  }

  importFailed(failure: Failure): void {
    this.failure = failure;
    this.move('FAILED');
  }

  change({ name, isFineTuned }: { name?: string | undefined; isFineTuned?: boolean | undefined }): void {
    this.name = name ?? this.name;
    this.isFineTuned = isFineTuned ?? this.isFineTuned;
    this.changedAt = clock.now();
  }

  /** Begins a deployment and returns its number, or refuses it. */
  deploy(modelType: ModelType, isDeployedPreviously: boolean): number {
    if (this.kind === 'dataset') throw modelsErrors.datasetNotDeployed();
    if (this.state === 'IMPORTING' || this.state === 'FAILED') throw this.notReady('READY_TO_DEPLOY');
    if (modelType !== this.modelType) {
      const what = this.kind === 'adapter' ? 'an adapter' : this.isFineTuned ? 'a fine-tuned model' : 'a base model';
      throw modelsErrors.modelTypeMismatch({ what, fitting: this.modelType });
    }
    if (isDeployedPreviously && !this.wasDeployed) throw modelsErrors.neverDeployed();
    if (this.state !== 'READY_TO_DEPLOY') throw this.notReady('READY_TO_DEPLOY');
    this.checkContent();
    this.move('DEPLOYING');
    this.deployments += 1;
    return this.deployments;
  }

  deployed(): void {
    this.wasDeployed = true;
    this.move('DEPLOYED');
  }

  undeployed(): void {
    this.move('READY_TO_DEPLOY');
  }

  checkDeployed(): void {
    if (this.state !== 'DEPLOYED') throw nothingToUndeploy(modelsErrors.modelNotReady);
  }

  /** Refuses a model without a content that can be exported. */
  checkImported(): void {
    if (this.state === 'IMPORTING' || this.state === 'FAILED') throw this.notReady('READY_TO_DEPLOY or DEPLOYED');
    this.checkContent();
  }

  checkDeletable(): void {
    const { state } = this;
    if (state !== 'READY_TO_DEPLOY' && state !== 'FAILED') throw modelsErrors.modelInUse({ reason: `is ${state}` });
  }

  private checkContent(): void {
    if (this.file === null) throw modelsErrors.contentGone();
  }

  private notReady(needed: string) {
    return modelsErrors.modelNotReady({ state: this.state, needed, modelId: this.id });
  }

  private move(state: ModelState): void {
    this.state = state;
    this.changedAt = clock.now();
  }
}
