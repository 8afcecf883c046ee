import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../../kernel/actor.js';
import { type Id, toId } from '../../../kernel/ids.js';
import { mapPage } from '../../../kernel/page.js';
import { Administrator } from '../../../platform/auth/callers.js';
import { data, page } from '../../../platform/route/answer.js';
import { PathId, PathName } from '../../../platform/route/path-id.js';
import { AdminRoute } from '../../../platform/route/route.js';
import { ENVIRONMENT_IN_PATH } from '../../tenancy/app.entity.js';
import { tenancyErrors } from '../../tenancy/tenancy.errors.js';
import { activationList, type ActivationsRequest } from './activation.list.js';
import { ActivationsService } from './activations.service.js';
import {
  ActivateAgent,
  ActivationView,
  DeploymentView,
  toActivationView,
  toDeploymentView,
} from './agents.admin.schema.js';
import { agentsErrors } from '../agents.errors.js';

@ApiTags('Administration: agents')
@Controller()
export class ActivationsAdminController {
  constructor(private readonly activations: ActivationsService) {}

  @AdminRoute('PUT /apps/{appId}/environments/{envName}', {
    summary: 'Activate a version of an agent in an environment, or deactivate it',
    description: 'Existing sessions use it from their next turn.',
    returns: data(DeploymentView),
    errors: [tenancyErrors.environmentNotFound, agentsErrors.agentNotFound, agentsErrors.versionNotFound],
  })
  async set(
    @Administrator() actor: AdminActor,
    @PathId('app') appId: Id<'app'>,
    @PathName('envName', ENVIRONMENT_IN_PATH) envName: string,
    @Body({ schema: ActivateAgent }) { agentId, versionId, active }: ActivateAgent,
  ) {
    const version = versionId === undefined ? undefined : toId('agentVersion', versionId);
    const activation = { agentId: toId('agent', agentId), versionId: version, active };
    return toDeploymentView(await this.activations.set(actor, appId, envName, activation));
  }

  @AdminRoute('GET /apps/{appId}/environments/{envName}/active', {
    summary: 'Read which version of which agent is active in an environment',
    returns: data(DeploymentView),
    errors: [tenancyErrors.environmentNotFound],
  })
  async read(@PathId('app') appId: Id<'app'>, @PathName('envName', ENVIRONMENT_IN_PATH) envName: string) {
    return toDeploymentView(await this.activations.read(appId, envName));
  }

  @AdminRoute('GET /apps/{appId}/environments/{envName}/activations', {
    summary: 'List the activations of an environment, by default newest first',
    returns: page(ActivationView),
    errors: [tenancyErrors.environmentNotFound],
  })
  async history(
    @PathId('app') appId: Id<'app'>,
    @PathName('envName', ENVIRONMENT_IN_PATH) envName: string,
    @Query({ schema: activationList.query }) query: ActivationsRequest,
  ) {
    return mapPage(await this.activations.history(appId, envName, query), toActivationView);
  }

  @AdminRoute('POST /apps/{appId}/environments/{envName}/rollback', {
    summary: 'Activate again what was active before',
    returns: data(DeploymentView),
    errors: [tenancyErrors.environmentNotFound, agentsErrors.nothingToRollBackTo],
  })
  async rollBack(
    @Administrator() actor: AdminActor,
    @PathId('app') appId: Id<'app'>,
    @PathName('envName', ENVIRONMENT_IN_PATH) envName: string,
  ) {
    return toDeploymentView(await this.activations.rollBack(actor, appId, envName));
  }
}
