import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Transaction } from '../../platform/database/transaction.js';
import type { Model } from './model.entity.js';

export class ModelRepository extends EntityRepository<Model> {
  inProject(projectId: Id<'project'>, modelId: Id<'model'>): Promise<Model | null> {
    return this.findOne({ id: modelId, project: projectId });
  }

  lockInProject(tx: Transaction, projectId: Id<'project'>, modelId: Id<'model'>): Promise<Model | null> {
    tx.takes('target');
    return this.findOne({ id: modelId, project: projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  }

  /** Returns a part of the models, newest first, and the number of all. */
  list(projectId: Id<'project'>, part: { limit: number; offset: number }): Promise<[Model[], number]> {
    return this.findAndCount({ project: projectId }, { orderBy: { id: 'desc' }, ...part });
  }

  /** Returns those whose import failed, newest first. */
  failed(projectId: Id<'project'>, limit: number): Promise<Model[]> {
    return this.find({ project: projectId, state: 'FAILED' }, { orderBy: { id: 'desc' }, limit });
  }

  /** Returns the imported models, without adapters and datasets, newest first. */
  imported(projectId: Id<'project'>): Promise<Model[]> {
    const state = { $in: ['READY_TO_DEPLOY' as const, 'DEPLOYING' as const, 'DEPLOYED' as const] };
    return this.find({ project: projectId, kind: 'model', state }, { orderBy: { id: 'desc' } });
  }
}
