import { Injectable } from '@nestjs/common';
import { sql } from '../../../platform/database/sql.js';
import { exists, type Statement, theRow } from '../../../platform/database/statement.js';

/** A moment, and the transactions that had begun to write before it: those with lower numbers than this one. */
export interface Moment {
  at: Date;
  transaction: string;
}

/** How many sessions began in which ten minutes. The triggers of the migration append to these sums too. */
@Injectable()
export class SessionCountRepository {
  thisMoment(): Statement<Moment> {
    return theRow(sql`select now() as at, pg_current_xact_id()::text as transaction`);
  }

  /** Whether everybody sees what was written before. */
  isPast({ transaction }: Moment): Statement<boolean> {
    return theRow<{ isPast: boolean }>(
      sql`select pg_snapshot_xmin(pg_current_snapshot()) > ${transaction}::xid8 as "isPast"`,
    ).as(({ isPast }) => isPast);
  }

  /** Locks the counting until the commit. Answers false where somebody else has it. */
  tryLock(): Statement<boolean> {
    return exists(sql`select from session_counting for update skip locked`);
  }

  /**
   * Counts the sessions of some slots that were not counted. What has been appended to these until now is known from the
   * sessions too, and goes. Answers false where there is no such slot before that time.
   */
  countSome(before: Date): Statement<boolean> {
    return exists(sql`
      with known as (
        select counted_until as since, session_slot(${before}) as last from session_counting),
      span as (
        select since, least(last, session_slot((
          select min(oldest.created_at) from app, lateral (
            select created_at from session where app_id = app.id and created_at >= since
            order by created_at limit 1) oldest)) + interval '6 hours') as until
        from known where since < last),
      appended as (
        delete from session_count using span where is_new and slot >= since and slot < until),
      counted as (
        insert into session_count (project_id, app_id, environment, source, slot, is_new, n)
        select of_app.* from span, app, lateral (
          select project_id, app_id, environment, source, session_slot(created_at), false, count(*)
          from session where app_id = app.id and created_at >= since and created_at < until
          group by 1, 2, 3, 4, 5) of_app)
      update session_counting set counted_until = until from span returning until`);
  }

  /**
   * Adds up what was appended for the same slot after it was counted. Only what this statement itself has deleted goes
   * into the new sum, so that two of them at once, or a reader beside them, are as exact as ever. Answers how many it took.
   */
  addUp(most: number): Statement<number> {
    return theRow<{ taken: number }>(sql`
      with appended as (
        select distinct app_id, environment, source, slot
        from (select * from session_count
              where is_new and slot < (select counted_until from session_counting) limit ${most}) new),
      taken as (
        delete from session_count s using appended a
        where s.app_id = a.app_id and s.environment = a.environment and s.source = a.source and s.slot = a.slot
        returning s.*),
      added_up as (
        insert into session_count (project_id, app_id, environment, source, slot, is_new, n)
        select project_id, app_id, environment, source, slot, false, sum(n)
        from taken group by 1, 2, 3, 4, 5 having sum(n) <> 0)
      select count(*)::integer as taken from taken`).as(({ taken }) => taken);
  }
}
