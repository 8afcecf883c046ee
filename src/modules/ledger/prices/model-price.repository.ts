import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import { columnsOf } from '../../../platform/database/columns.js';
import { planned } from '../../../platform/database/sql.js';
import { rows, type Statement } from '../../../platform/database/statement.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import type { PayloadPolicy } from '../write/ledger-policy.entity.js';
import { ModelPrice, type ModelPriceRow } from './model-price.entity.js';

export class ModelPriceRepository extends EntityRepository<ModelPrice> {
  /** Returns the prices that were set for the project. */
  ofProject(projectId: string): Statement<ModelPriceRow[]> {
    return rows(planned`select ${columnsOf(ModelPrice)} from model_price where project_id = ${projectId}`);
  }

  /**
   * Returns the project's own prices and its payload policy, which is null if the project has none. One statement reads
   * both, because every call of a model needs them.
   */
  ofProjectWithPolicy(projectId: string): Statement<{ prices: ModelPriceRow[]; payloads: PayloadPolicy | null }> {
    return rows<ModelPriceRow & { payloads: PayloadPolicy | null }>(
      planned`select ${columnsOf(ModelPrice, 'price')}, policy.payloads
              from (values (true)) as always
              left join ledger_policy policy on policy.project_id = ${projectId}
              left join model_price price on price.project_id = ${projectId}`,
    ).as((found) => ({
      // A project without prices still yields one row, whose price columns are null.
      prices: found.filter(({ id }) => id !== null),
      payloads: found[0]!.payloads,
    }));
  }

  byId(projectId: Id<'project'>, modelPriceId: Id<'modelPrice'>): Promise<ModelPrice | null> {
    return this.findOne({ id: modelPriceId, project: projectId });
  }

  /** Changes of a price and its deletion take turns. */
  lockById(tx: Transaction, projectId: Id<'project'>, modelPriceId: Id<'modelPrice'>): Promise<ModelPrice | null> {
    tx.takes('target');
    return this.findOne({ id: modelPriceId, project: projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }
}
