import { EntityRepository } from '@mikro-orm/postgresql';
import { isId } from '../../kernel/ids.js';
import type { App } from './app.entity.js';

export class AppRepository extends EntityRepository<App> {
  async byId(appId: string): Promise<App | null> {
    return isId('app', appId) ? this.findOne({ id: appId }) : null;
  }

  async withEnvironments(appId: string): Promise<App | null> {
    return isId('app', appId)
      ? this.findOne({ id: appId }, { populate: ['environments'], populateOrderBy: { environments: { name: 'asc' } } })
      : null;
  }

  /** In the order they were made, `limit` and one more. */
  listAfter(projectId: App['project']['id'], cursor: string | undefined, limit: number): Promise<App[]> {
    const after = cursor === undefined ? {} : { id: { $gt: cursor as App['id'] } };
    return this.find({ project: projectId, ...after }, { orderBy: { id: 'asc' }, limit: limit + 1 });
  }
}
