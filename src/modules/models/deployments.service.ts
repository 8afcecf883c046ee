import { Injectable } from '@nestjs/common';
import type { KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { Notices } from '../../platform/redis/notices.js';
import { Dock, type DockJobAnswer } from '../dock/dock.service.js';
import type { DeployModel } from './deploy-model.schema.js';
import { HOSTING } from './hosting-process.entity.js';
import type { ModelType } from './model.entity.js';
import { ModelRepository } from './model.repository.js';
import { ModelDeployment } from './model-deployment.entity.js';
import { ModelDeploymentRepository } from './model-deployment.repository.js';
import { found } from './models.service.js';

const JOB_TYPE = 'MODELS';

/** Deploying, undeploying and exporting: each is a dock job. */
@Injectable()
export class DeploymentsService {
  constructor(
    private readonly database: Database,
    private readonly models: ModelRepository,
    private readonly deployments: ModelDeploymentRepository,
    private readonly dock: Dock,
    private readonly notices: Notices,
  ) {}

  deploy(actor: KeyActor, modelId: Id<'model'>, modelType: ModelType, wish: DeployModel): Promise<DockJobAnswer> {
    const { projectId } = actor;
    return this.dock.starting(actor, modelId, async (tx) => {
      const model = found(await this.models.lockInProject(projectId, modelId));
      // Before the dock is asked: one that is not ready tells its state, whatever runs for it.
      const number = model.deploy(modelType, wish.isDeployedPreviously);
      const deployment = new ModelDeployment(model, number, modelType, wish);
      tx.em.persist(deployment);
      const data = { deploymentId: deployment.id };
      const job = await this.dock.start(tx, {
        projectId,
        jobType: JOB_TYPE,
        action: 'DEPLOY',
        targetId: modelId,
        data,
      });
      return this.dock.answer(job);
    });
  }

  /** No new call reaches it once this is committed; those under way are answered. */
  undeploy(actor: KeyActor, modelId: Id<'model'>): Promise<DockJobAnswer> {
    const { projectId } = actor;
    return this.database.transaction(actor, async (tx) => {
      const model = found(await this.models.lockInProject(projectId, modelId));
      const answer = await this.settled(tx, projectId, modelId, 'UNDEPLOY');
      model.checkDeployed();
      (await this.deployments.lockCurrent(modelId))?.end();
      model.undeployed();
      tx.afterCommit(() => this.notices.tell(HOSTING));
      return answer;
    });
  }

  export(actor: KeyActor, modelId: Id<'model'>): Promise<DockJobAnswer> {
    const { projectId } = actor;
    return this.database.transaction(actor, async (tx) => {
      const model = found(await this.models.lockInProject(projectId, modelId));
      const answer = await this.settled(tx, projectId, modelId, 'EXPORT');
      model.checkImported();
      return answer;
    });
  }

  private async settled(
    tx: Parameters<Dock['start']>[0],
    projectId: Id<'project'>,
    targetId: Id<'model'>,
    action: 'UNDEPLOY' | 'EXPORT',
  ): Promise<DockJobAnswer> {
    return this.dock.answer(
      await this.dock.start(tx, { projectId, jobType: JOB_TYPE, action, targetId, isSettled: true }),
    );
  }
}
