import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { mapPage } from '../../kernel/page.js';
import { Administrator } from '../../platform/auth/callers.js';
import { data, page } from '../../platform/route/answer.js';
import { PathId } from '../../platform/route/path-id.js';
import { AdminRoute } from '../../platform/route/route.js';
import { modelDeploymentList, type ModelDeploymentsRequest } from './model-deployment.list.js';
import { modelList, type ModelsRequest } from './model.list.js';
import { gatewayErrors } from '../gateway/gateway.errors.js';
import { modelsErrors } from './models.errors.js';
import {
  ChangeModel,
  DeploymentView,
  ModelGone,
  ModelView,
  ReplicaList,
  toDeploymentView,
  toReplicaView,
} from './models.schema.js';
import { ModelsService } from './models.service.js';

@ApiTags('Administration: models')
@Controller()
export class ModelsAdminController {
  constructor(private readonly models: ModelsService) {}

  @AdminRoute('GET /projects/{projectId}/models', {
    summary: 'List the models and datasets of a project, by default oldest first',
    returns: page(ModelView),
  })
  list(@PathId('project') projectId: Id<'project'>, @Query({ schema: modelList.query }) query: ModelsRequest) {
    return this.models.page(projectId, query);
  }

  @AdminRoute('GET /projects/{projectId}/models/{modelId}', {
    summary: 'Read a model',
    returns: data(ModelView),
    errors: [gatewayErrors.modelNotFound],
  })
  read(@PathId('project') projectId: Id<'project'>, @PathId('model') modelId: Id<'model'>) {
    return this.models.readForAdministration(projectId, modelId);
  }

  @AdminRoute('GET /projects/{projectId}/models/{modelId}/versions', {
    summary: 'List the deployments of a model, by default oldest first, and when each was live',
    returns: page(DeploymentView),
    errors: [gatewayErrors.modelNotFound],
  })
  async versions(
    @PathId('project') projectId: Id<'project'>,
    @PathId('model') modelId: Id<'model'>,
    @Query({ schema: modelDeploymentList.query }) query: ModelDeploymentsRequest,
  ) {
    return mapPage(await this.models.versions(projectId, modelId, query), toDeploymentView);
  }

  @AdminRoute('GET /projects/{projectId}/models/{modelId}/replicas', {
    summary: 'List the replicas of the present deployment of a model, oldest first',
    description:
      'A model that is not deployed has none. The deployment has the number of replicas that it should have.',
    returns: data(ReplicaList),
    errors: [gatewayErrors.modelNotFound],
  })
  async replicas(@PathId('project') projectId: Id<'project'>, @PathId('model') modelId: Id<'model'>) {
    return (await this.models.replicas(projectId, modelId)).map(toReplicaView);
  }

  @AdminRoute('PATCH /projects/{projectId}/models/{modelId}', {
    summary: 'Rename a model, or mark it as fine-tuned',
    returns: data(ModelView),
    errors: [gatewayErrors.modelNotFound],
  })
  change(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @PathId('model') modelId: Id<'model'>,
    @Body({ schema: ChangeModel }) body: ChangeModel,
  ) {
    return this.models.change(actor, projectId, modelId, body);
  }

  @AdminRoute('DELETE /projects/{projectId}/models/{modelId}', {
    summary: 'Delete a model and its file',
    returns: data(ModelGone),
    errors: [gatewayErrors.modelNotFound, modelsErrors.modelInUse],
  })
  async delete(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @PathId('model') modelId: Id<'model'>,
  ) {
    return this.models.delete(actor, projectId, modelId).then(() => ({ modelId }));
  }
}
