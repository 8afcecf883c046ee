import { Injectable } from '@nestjs/common';
import { sql } from '../../../platform/database/sql.js';
import { exists, type Statement, theRow } from '../../../platform/database/statement.js';

/** A moment, and a transaction number. Transactions that had begun to write before the moment have lower numbers. */
export interface Moment {
  at: Date;
  transaction: string;
}

/** Sums of how many sessions began in each ten minutes. Triggers, which a migration creates, append to them as well. */
@Injectable()
export class SessionCountRepository {
  thisMoment(): Statement<Moment> {
    return theRow(sql`select now() as at, pg_current_xact_id()::text as transaction`);
  }

  /** Whether every transaction that had begun to write before the moment has ended. */
  isPast({ transaction }: Moment): Statement<boolean> {
    return theRow<{ isPast: boolean }>(
      sql`select pg_snapshot_xmin(pg_current_snapshot()) > ${transaction}::xid8 as "isPast"`,
    ).as(({ isPast }) => isPast);
  }

  /** Locks the counting until the commit. Returns false if another process has locked it. */
  tryLock(): Statement<boolean> {
    return exists(sql`select from session_counting for update skip locked`);
  }

  /**
   * Counts the sessions of some slots that were not counted. Rows that triggers have appended for these slots are
   * deleted, because the counted sessions include them. Returns false if no slot before that time is left.
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
   * Adds up the rows that triggers have appended to slots after these were counted. The new sum includes only rows that
   * this statement has deleted itself, so it stays exact if two of them run at once. Returns the number of deleted
   * rows.
   */
  addUp(max: number): Statement<number> {
    return theRow<{ taken: number }>(sql`
      with appended as (
        select distinct app_id, environment, source, slot
        from (select * from session_count
              where is_new and slot < (select counted_until from session_counting) limit ${max}) new),
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
