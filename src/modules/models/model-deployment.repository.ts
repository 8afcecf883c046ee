import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { pageById } from '../../platform/database/page-by-id.js';
import type { ModelDeployment } from './model-deployment.entity.js';

const UNDER_WAY = { $in: ['STARTING' as const, 'LIVE' as const] };

export class ModelDeploymentRepository extends EntityRepository<ModelDeployment> {
  byId(id: Id<'modelDeployment'>): Promise<ModelDeployment | null> {
    return this.findOne({ id }, { populate: ['model'], refresh: true });
  }

  lockById(id: Id<'modelDeployment'>): Promise<ModelDeployment | null> {
    return this.findOne({ id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  }

  /** The one that starts or is live. */
  lockCurrent(modelId: Id<'model'>): Promise<ModelDeployment | null> {
    return this.findOne({ model: modelId, state: UNDER_WAY }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  }

  current(modelId: Id<'model'>): Promise<ModelDeployment | null> {
    return this.findOne({ model: modelId, state: UNDER_WAY });
  }

  currentOf(modelIds: Id<'model'>[]): Promise<ModelDeployment[]> {
    return this.find({ model: { $in: modelIds }, state: UNDER_WAY });
  }

  /** Those that stand on it. */
  countUsing(baseModelId: Id<'model'>): Promise<number> {
    return this.count({ baseModelId, state: UNDER_WAY });
  }

  liveOf(modelId: Id<'model'>): Promise<ModelDeployment | null> {
    return this.findOne({ model: modelId, state: 'LIVE' });
  }

  newestLiveNamed(projectId: Id<'project'>, name: string): Promise<ModelDeployment | null> {
    return this.findOne({ project: projectId, name, state: 'LIVE' }, { orderBy: { id: 'desc' } });
  }

  live(projectId: Id<'project'>): Promise<ModelDeployment[]> {
    return this.find({ project: projectId, state: 'LIVE' }, { orderBy: { id: 'desc' } });
  }

  ofModel(modelId: Id<'model'>, request: PageRequest): Promise<Page<ModelDeployment>> {
    return pageById<ModelDeployment>(this, { model: modelId }, request);
  }
}
