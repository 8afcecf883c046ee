import { isId, type Id } from '../../kernel/ids.js';
import {
  type CallableModel,
  type ListedModel,
  type ModelRequest,
  ModelTarget,
  ProvidesModels,
} from '../gateway/gateway.port.js';
import { gatewayErrors } from '../gateway/gateway.errors.js';
import { ModelRepository } from './model.repository.js';
import type { ModelDeployment } from './model-deployment.entity.js';
import { ModelDeploymentRepository } from './model-deployment.repository.js';
import { ReplicaClient } from './replica-client.js';
import { replicaProtocol } from './replica-protocol.js';

/** The name of the provider in the ledger. */
const PROVIDER = 'custom';

/** Offers the models that this installation serves to the gateway. */
@ProvidesModels()
export class DeployedModels extends ModelTarget {
  constructor(
    private readonly models: ModelRepository,
    private readonly deployments: ModelDeploymentRepository,
    private readonly client: ReplicaClient,
  ) {
    super();
  }

  async find(projectId: Id<'project'>, named: string): Promise<CallableModel | null> {
    const deployment = isId('model', named)
      ? await this.deploymentOf(projectId, named)
      : await this.deployments.newestLiveNamed(projectId, named);
    return deployment && this.callable(deployment);
  }

  async list(projectId: Id<'project'>): Promise<ListedModel[]> {
    return (await this.deployments.live(projectId)).map(listed);
  }

  private async deploymentOf(projectId: Id<'project'>, modelId: Id<'model'>): Promise<ModelDeployment | null> {
    const model = await this.models.inProject(projectId, modelId);
    if (!model) return null;
    const deployment = model.state === 'DEPLOYED' ? await this.deployments.liveOf(modelId) : null;
    if (!deployment) throw gatewayErrors.modelNotDeployed({ modelId, state: model.state });
    return deployment;
  }

  private callable(deployment: ModelDeployment): CallableModel {
    return {
      ...listed(deployment),
      name: deployment.name,
      protocol: replicaProtocol(deployment, this.client),
      refusalOf,
    };
  }
}

function listed({ model, liveFrom, createdAt }: ModelDeployment): ListedModel {
  return { id: model.id, provider: PROVIDER, createdAt: liveFrom ?? createdAt };
}

function refusalOf({ prompt, tools = [], toolChoice }: ModelRequest): string | undefined {
  const mayChoose = toolChoice === undefined || toolChoice.type === 'auto' || toolChoice.type === 'none';
  if (tools.length > 0 && !mayChoose) return 'cannot be forced to call a tool';
  const hasFiles = prompt.some(
    ({ content }) => typeof content !== 'string' && content.some(({ type }) => type === 'file'),
  );
  if (hasFiles) return 'accepts only text';
  return undefined;
}
