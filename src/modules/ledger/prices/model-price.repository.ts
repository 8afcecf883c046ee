import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { columnsOf } from '../../../platform/database/columns.js';
import { pageById } from '../../../platform/database/page-by-id.js';
import { planned } from '../../../platform/database/sql.js';
import { rows, type Statement } from '../../../platform/database/statement.js';
import { ModelPrice, type ModelPriceRow } from './model-price.entity.js';

export class ModelPriceRepository extends EntityRepository<ModelPrice> {
  /** The prices that a project has of its own: asked with every call of a model. */
  ofProject(projectId: string): Statement<ModelPriceRow[]> {
    return rows(planned`select ${columnsOf(ModelPrice)} from model_price where project_id = ${projectId}`);
  }

  byId(projectId: Id<'project'>, modelPriceId: Id<'modelPrice'>): Promise<ModelPrice | null> {
    return this.findOne({ id: modelPriceId, project: projectId });
  }

  page(projectId: Id<'project'>, request: PageRequest): Promise<Page<ModelPrice>> {
    return pageById<ModelPrice>(this, { project: projectId }, request);
  }
}
