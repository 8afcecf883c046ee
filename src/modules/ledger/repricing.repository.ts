import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Repricing } from './repricing.entity.js';

export class RepricingRepository extends EntityRepository<Repricing> {
  byId(projectId: Id<'project'>, repricingId: Id<'repricing'>): Promise<Repricing | null> {
    return this.findOne({ id: repricingId, project: projectId });
  }
}
