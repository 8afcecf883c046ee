import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { pageById } from '../../platform/database/page-by-id.js';
import type { ModelPrice } from './model-price.entity.js';

export class ModelPriceRepository extends EntityRepository<ModelPrice> {
  byId(projectId: Id<'project'>, modelPriceId: Id<'modelPrice'>): Promise<ModelPrice | null> {
    return this.findOne({ id: modelPriceId, project: projectId });
  }

  page(projectId: Id<'project'>, request: PageRequest): Promise<Page<ModelPrice>> {
    return pageById<ModelPrice>(this, { project: projectId }, request);
  }
}
