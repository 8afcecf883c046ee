import { Injectable } from '@nestjs/common';
import type { KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { Events } from '../../platform/events/events.js';
import { Notifications } from '../../platform/redis/notifications.js';
import type { Transaction } from '../../platform/database/transaction.js';
import type { DockJobAnswer } from '../dock/dock.schema.js';
import { Dock, type DockStart } from '../dock/dock.service.js';
import type { DeployModel } from './deploy-model.schema.js';
import { HOSTING } from './hosting-process.entity.js';
import type { Model, ModelType } from './model.entity.js';
import { ModelRepository } from './model.repository.js';
import { ModelDeployment } from './model-deployment.entity.js';
import { ModelDeploymentRepository } from './model-deployment.repository.js';
import { ModelUndeployed } from './models.events.js';
import { found } from './models.service.js';

/** Starts the dock jobs that deploy, undeploy and export models. */
@Injectable()
export class DeploymentsService {
  constructor(
    private readonly database: Database,
    private readonly models: ModelRepository,
    private readonly deployments: ModelDeploymentRepository,
    private readonly dock: Dock,
    private readonly notifications: Notifications,
    private readonly events: Events,
  ) {}

  deploy(actor: KeyActor, modelId: Id<'model'>, modelType: ModelType, parameters: DeployModel): Promise<DockJobAnswer> {
    return this.dock.starting(actor, modelId, async (tx) => {
      const model = await this.lock(tx, actor, modelId);
      // The model is checked before the dock: a model that is not ready is refused with its state, not with its job.
      const number = model.deploy(modelType, parameters.isDeployedPreviously);
      await this.mustOwnName(actor, parameters.name);
      const deployment = new ModelDeployment(model, number, modelType, parameters);
      tx.em.persist(deployment);
      return this.start(tx, actor, { action: 'DEPLOY', targetId: modelId, data: { deploymentId: deployment.id } });
    });
  }

  /** No new call reaches the model once this is committed. Calls that have begun are answered. */
  undeploy(actor: KeyActor, modelId: Id<'model'>): Promise<DockJobAnswer> {
    return this.database.transaction(actor, async (tx) => {
      const model = await this.lock(tx, actor, modelId);
      const answer = await this.start(tx, actor, { action: 'UNDEPLOY', targetId: modelId, isSettled: true });
      model.checkDeployed();
      (await this.deployments.lockCurrent(modelId))?.end();
      model.undeployed();
      await this.events.publish(tx, ModelUndeployed, { modelId, projectId: actor.projectId });
      tx.afterCommit(() => this.notifications.notify(HOSTING));
      return answer;
    });
  }

  export(actor: KeyActor, modelId: Id<'model'>): Promise<DockJobAnswer> {
    return this.database.transaction(actor, async (tx) => {
      const model = await this.lock(tx, actor, modelId);
      const answer = await this.start(tx, actor, { action: 'EXPORT', targetId: modelId, isSettled: true });
      model.checkImported();
      return answer;
    });
  }

  private async lock(tx: Transaction, actor: KeyActor, modelId: Id<'model'>): Promise<Model> {
    const model = found(await this.models.lockInProject(tx, actor.projectId, modelId));
    await this.dock.mustManage(actor, model.scopeId);
    return model;
  }

  /** A name leads calls to its newest deployment, so one of another scope would get the calls of those before it. */
  private async mustOwnName(actor: KeyActor, name: string): Promise<void> {
    for (const { model } of await this.deployments.currentNamed(actor.projectId, name)) {
      await this.dock.mustManage(actor, model.scopeId, 'the deployment that has this name');
    }
  }

  private async start(
    tx: Transaction,
    { projectId, scopeId }: KeyActor,
    job: Pick<DockStart, 'action' | 'targetId' | 'data' | 'isSettled'>,
  ): Promise<DockJobAnswer> {
    return this.dock.answer(await this.dock.start(tx, { projectId, scopeId, jobType: 'MODELS', ...job }));
  }
}
