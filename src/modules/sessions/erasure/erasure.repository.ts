import { EntityRepository } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { columnsOf, newRow } from '../../../platform/database/columns.js';
import { sql } from '../../../platform/database/sql.js';
import { row, type Statement, theRow, write } from '../../../platform/database/statement.js';
import { Erasure, type ErasureReport, type ErasureRow, NOTHING_ERASED } from './erasure.entity.js';

/** The user whom an erasure concerns. */
type ErasedUser = Pick<ErasureRow, 'userId' | 'projectId' | 'appId'>;

export class ErasureRepository extends EntityRepository<Erasure> {
  ofUser(appId: Id<'app'>, userId: Id<'user'>): Statement<ErasureRow | null> {
    return row(sql`select ${columnsOf(Erasure)} from user_erasure where user_id = ${userId} and app_id = ${appId}`);
  }

  /** Begins an erasure. A repeated request continues the earlier one with its report. */
  begin(user: ErasedUser): Statement<ErasureRow> {
    const erasure = newRow(Erasure, {
      ...user,
      state: 'running',
      requestedAt: clock.now(),
      report: JSON.stringify(NOTHING_ERASED),
      fileIds: [],
    });
    return theRow(sql`
      insert into user_erasure ${erasure}
      on conflict (user_id) do update set state = 'running', finished_at = null
      returning ${columnsOf(Erasure)}`);
  }

  lock(userId: Id<'user'>): Statement<ErasureRow | null> {
    return row(sql`select ${columnsOf(Erasure)} from user_erasure where user_id = ${userId} for update`);
  }

  report(userId: Id<'user'>, report: ErasureReport, moreFileIds: readonly Id<'file'>[]): Statement<void> {
    return write(
      sql`update user_erasure set report = ${JSON.stringify(report)}, file_ids = file_ids || ${moreFileIds}::text[]
          where user_id = ${userId}`,
    );
  }

  finish(userId: Id<'user'>, state: 'done' | 'failed'): Statement<void> {
    return write(sql`update user_erasure set state = ${state}, finished_at = ${clock.now()} where user_id = ${userId}`);
  }
}
