import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import { columnsOf } from '../../../platform/database/columns.js';
import { sql } from '../../../platform/database/sql.js';
import { rows, type Statement } from '../../../platform/database/statement.js';
import { Attempt, type AttemptRow } from './attempt.entity.js';

export class AttemptRepository extends EntityRepository<Attempt> {
  /** Returns the last hundred attempts of each delivery, with the oldest of them first. */
  lastOf(deliveryIds: readonly Id<'delivery'>[]): Statement<Map<Id<'delivery'>, AttemptRow[]>> {
    return rows<AttemptRow>(
      sql`select ${columnsOf(Attempt, 'attempt')} from unnest(${deliveryIds}::text[]) as wanted (id) cross join lateral (
            select * from webhook_attempt where delivery_id = wanted.id order by number desc limit 100) as attempt
          order by delivery_id, number`,
    ).as((attempts) => Map.groupBy(attempts, ({ deliveryId }) => deliveryId));
  }
}
