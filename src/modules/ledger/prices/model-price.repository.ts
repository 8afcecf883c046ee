import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { columnsOf } from '../../../platform/database/columns.js';
import { pageById } from '../../../platform/database/page-by-id.js';
import { planned } from '../../../platform/database/sql.js';
import { rows, type Statement } from '../../../platform/database/statement.js';
import type { PayloadPolicy } from '../write/ledger-policy.entity.js';
import { ModelPrice, type ModelPriceRow } from './model-price.entity.js';

export class ModelPriceRepository extends EntityRepository<ModelPrice> {
  /** The prices that a project has of its own. */
  ofProject(projectId: string): Statement<ModelPriceRow[]> {
    return rows(planned`select ${columnsOf(ModelPrice)} from model_price where project_id = ${projectId}`);
  }

  /** The same with what the project has said of payloads, if anything: asked with every call of a model. */
  ofProjectWithPolicy(projectId: string): Statement<{ prices: ModelPriceRow[]; payloads: PayloadPolicy | null }> {
    return rows<ModelPriceRow & { payloads: PayloadPolicy | null }>(
      planned`select ${columnsOf(ModelPrice, 'price')}, policy.payloads
              from (values (true)) as always
              left join ledger_policy policy on policy.project_id = ${projectId}
              left join model_price price on price.project_id = ${projectId}`,
    ).as((found) => ({
      // A project without prices has one row all the same.
      prices: found.filter(({ id }) => id !== null),
      payloads: found[0]!.payloads,
    }));
  }

  byId(projectId: Id<'project'>, modelPriceId: Id<'modelPrice'>): Promise<ModelPrice | null> {
    return this.findOne({ id: modelPriceId, project: projectId });
  }

  page(projectId: Id<'project'>, request: PageRequest): Promise<Page<ModelPrice>> {
    return pageById<ModelPrice>(this, { project: projectId }, request);
  }
}
