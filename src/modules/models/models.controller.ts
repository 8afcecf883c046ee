import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { OffsetQuery } from '../../kernel/schema.js';
import { CallingKey } from '../../platform/auth/callers.js';
import { plain } from '../../platform/route/answer.js';
import { PathId } from '../../platform/route/path-id.js';
import { Route } from '../../platform/route/route.js';
import { dockAnswer } from '../dock/dock.schema.js';
import { dockErrors } from '../dock/dock.errors.js';
import { gatewayErrors } from '../gateway/gateway.errors.js';
import { DeployModel, DeployQuery } from './deploy-model.schema.js';
import { DeploymentsService } from './deployments.service.js';
import { modelsErrors } from './models.errors.js';
import { ImportedModels, ModelView } from './models.schema.js';
import { ModelsService } from './models.service.js';

@ApiTags('Models')
@Controller()
export class ModelsController {
  constructor(
    private readonly models: ModelsService,
    private readonly deployments: DeploymentsService,
  ) {}

  @Route('GET /api/public/models', {
    access: 'anyKey',
    summary: 'List the models and datasets of the project, newest first',
    returns: plain(ImportedModels),
  })
  list(@CallingKey() { projectId }: KeyActor, @Query({ schema: OffsetQuery }) query: OffsetQuery) {
    return this.models.list(projectId, query);
  }

  @Route('GET /api/public/models/{modelId}', {
    access: 'anyKey',
    summary: 'Read the details and the state of a model',
    returns: plain(ModelView),
    errors: [gatewayErrors.modelNotFound],
  })
  read(@CallingKey() { projectId }: KeyActor, @PathId('model') modelId: Id<'model'>) {
    return this.models.read(projectId, modelId);
  }

  @Route('POST /api/public/models/{modelId}/deploy', {
    access: 'anyKey',
    permissionForOtherScopes: 'DOCK_MANAGE',
    summary: 'Deploy a model, so that it can be called',
    description:
      'The dock job ends when minReplicas replicas of the model answer. Then chat completions accept its id as `model`.',
    returns: dockAnswer('MODELS DEPLOY'),
    errors: [
      modelsErrors.modelTypeMismatch,
      modelsErrors.datasetNotDeployed,
      modelsErrors.neverDeployed,
      gatewayErrors.modelNotFound,
      modelsErrors.modelNotReady,
      modelsErrors.contentGone,
    ],
  })
  deploy(
    @CallingKey() actor: KeyActor,
    @PathId('model') modelId: Id<'model'>,
    @Query({ schema: DeployQuery }) { modelType }: DeployQuery,
    @Body({ schema: DeployModel }) body: DeployModel,
  ) {
    return this.deployments.deploy(actor, modelId, modelType, body);
  }

  @Route('POST /api/public/models/{modelId}/undeploy', {
    access: 'anyKey',
    permissionForOtherScopes: 'DOCK_MANAGE',
    summary: 'Undeploy a model, after which calls in progress are still answered',
    returns: dockAnswer('MODELS UNDEPLOY'),
    errors: [gatewayErrors.modelNotFound, modelsErrors.modelNotReady, dockErrors.jobInProgress],
  })
  undeploy(@CallingKey() actor: KeyActor, @PathId('model') modelId: Id<'model'>) {
    return this.deployments.undeploy(actor, modelId);
  }

  @Route('POST /api/public/models/{modelId}/export', {
    access: 'anyKey',
    permissionForOtherScopes: 'DOCK_MANAGE',
    summary: 'Export the file of a model exactly as it was imported',
    returns: dockAnswer('MODELS EXPORT'),
    errors: [
      gatewayErrors.modelNotFound,
      modelsErrors.modelNotReady,
      modelsErrors.contentGone,
      dockErrors.jobInProgress,
    ],
  })
  export(@CallingKey() actor: KeyActor, @PathId('model') modelId: Id<'model'>) {
    return this.deployments.export(actor, modelId);
  }
}
