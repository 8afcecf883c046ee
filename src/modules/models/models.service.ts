import { Injectable } from '@nestjs/common';
import type { AdminActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import type { Page } from '../../kernel/page.js';
import { Database } from '../../platform/database/database.js';
import { modelDeploymentList, type ModelDeploymentsRequest } from './model-deployment.list.js';
import { modelList, type ModelsRequest } from './model.list.js';
import { FilesService } from '../files/files.service.js';
import { gatewayErrors } from '../gateway/gateway.errors.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import type { Model } from './model.entity.js';
import { ModelRepository } from './model.repository.js';
import type { ModelDeployment } from './model-deployment.entity.js';
import { ModelDeploymentRepository } from './model-deployment.repository.js';
import { ModelReplicaRepository, type ReplicaState } from './model-replica.repository.js';
import { modelsErrors } from './models.errors.js';
import { type ChangeModel, type ModelView, toModelView } from './models.schema.js';

/** Lists, reads, renames, marks and deletes the models and datasets of a project. */
@Injectable()
export class ModelsService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly models: ModelRepository,
    private readonly deployments: ModelDeploymentRepository,
    private readonly modelReplicas: ModelReplicaRepository,
    private readonly files: FilesService,
  ) {}

  async list(projectId: Id<'project'>, part: { limit: number; offset: number }) {
    const [models, total] = await this.models.list(projectId, part);
    return { models: await this.views(models), total };
  }

  async read(projectId: Id<'project'>, modelId: Id<'model'>): Promise<ModelView> {
    const [view] = await this.views([found(await this.models.inProject(projectId, modelId))]);
    return view!;
  }

  async page(projectId: Id<'project'>, request: ModelsRequest): Promise<Page<ModelView>> {
    await this.tenancy.project(projectId);
    const { items, nextCursor } = await modelList.page(this.models, { project: projectId }, request);
    return { items: await this.views(items), nextCursor };
  }

  async readForAdministration(projectId: Id<'project'>, modelId: Id<'model'>): Promise<ModelView> {
    await this.tenancy.project(projectId);
    return this.read(projectId, modelId);
  }

  /** Returns the deployments of a model, with the times in which they were live. */
  async versions(
    projectId: Id<'project'>,
    modelId: Id<'model'>,
    request: ModelDeploymentsRequest,
  ): Promise<Page<ModelDeployment>> {
    await this.tenancy.project(projectId);
    const model = found(await this.models.inProject(projectId, modelId));
    return modelDeploymentList.page(this.deployments, { model }, request);
  }

  /** Returns the replicas of the deployment that starts or is live. */
  async replicas(projectId: Id<'project'>, modelId: Id<'model'>): Promise<ReplicaState[]> {
    await this.tenancy.project(projectId);
    const model = found(await this.models.inProject(projectId, modelId));
    return this.database.ask(this.modelReplicas.ofModel(model.id));
  }

  change(actor: AdminActor, projectId: Id<'project'>, modelId: Id<'model'>, changes: ChangeModel): Promise<ModelView> {
    return this.database.transaction(actor, async (tx) => {
      await this.tenancy.project(projectId);
      const model = found(await this.models.lockInProject(tx, projectId, modelId));
      model.change(changes);
      return toModelView(model, await this.deployments.current(model.id));
    });
  }

  /** Deletes a model and its file. Refuses a model that is in use, or that is the base of a deployed adapter. */
  async delete(actor: AdminActor, projectId: Id<'project'>, modelId: Id<'model'>): Promise<void> {
    await this.database.transaction(actor, async (tx) => {
      await this.tenancy.project(projectId);
      const known = found(await this.models.inProject(projectId, modelId));
      // The file is locked before the model. Deleting only the file locks it first too, so there is no deadlock.
      if (known.file) await this.files.lock(projectId, known.file.id);
      const model = found(await this.models.lockInProject(tx, projectId, modelId));
      model.checkDeletable();
      if (await this.deployments.countUsing(model.id)) {
        throw modelsErrors.modelInUse({ reason: 'is the base of a deployed adapter' });
      }
      const { file } = model;
      tx.em.remove(model);
      await tx.em.flush();
      if (file) await this.files.delete(actor, projectId, file.id);
    });
  }

  private async views(models: Model[]): Promise<ModelView[]> {
    const current = await this.deployments.currentOf(models.map(({ id }) => id));
    return models.map((model) => toModelView(model, current.find(({ model: { id } }) => id === model.id) ?? null));
  }
}

export function found(model: Model | null): Model {
  if (!model) throw gatewayErrors.modelNotFound();
  return model;
}
