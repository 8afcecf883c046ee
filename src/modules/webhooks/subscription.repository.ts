import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { pageById } from '../../platform/database/page-by-id.js';
import type { Subscription } from './subscription.entity.js';

export class SubscriptionRepository extends EntityRepository<Subscription> {
  byId(subscriptionId: Id<'subscription'>): Promise<Subscription | null> {
    return this.findOne({ id: subscriptionId });
  }

  lock(subscriptionId: Id<'subscription'>): Promise<Subscription | null> {
    return this.findOne({ id: subscriptionId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  inProject(projectId: Id<'project'>, subscriptionId: Id<'subscription'>): Promise<Subscription | null> {
    return this.findOne({ id: subscriptionId, project: projectId });
  }

  page(projectId: Id<'project'>, request: PageRequest): Promise<Page<Subscription>> {
    return pageById<Subscription>(this, { project: projectId }, request);
  }
}
