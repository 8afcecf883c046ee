import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';

/** A moment, and the transactions that had begun to write before it: those with lower numbers than this one. */
export interface Moment {
  at: Date;
  transaction: string;
}

/** The statements that keep the sums of sessions. The triggers of the migration append to them too. */
@Injectable()
export class CountStore {
  constructor(private readonly statements: Statements) {}

  async thisMoment(): Promise<Moment> {
    const [moment] = await this.statements.run<Moment>(`select now() as at, pg_current_xact_id()::text as transaction`);
    return moment!;
  }

  /** Whether everybody sees what was written before. */
  async isPast({ transaction }: Moment): Promise<boolean> {
    const [row] = await this.statements.run<{ isPast: boolean }>(
      sql`select pg_snapshot_xmin(pg_current_snapshot()) > ${transaction}::xid8 as "isPast"`,
    );
    return row!.isPast;
  }

  /** Until the commit. False where somebody else has it. */
  async hold(em: EntityManager): Promise<boolean> {
    const rows = await this.statements.runIn(em, sql`select from session_counting for update skip locked`);
    return rows.length > 0;
  }

  /**
   * Counts the sessions of some slots that were not counted. What has been appended to these until now is known from the
   * sessions too, and goes. False where there is no such slot before that time.
   */
  async countSome(em: EntityManager, before: Date): Promise<boolean> {
    const rows = await this.statements.runIn(
      em,
      sql`
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
      update session_counting set counted_until = until from span returning until`,
    );
    return rows.length > 0;
  }

  /**
   * Adds up what was appended for the same slot after it was counted. Only what this statement itself has deleted goes
   * into the new sum, so that two of them at once, or a reader beside them, are as exact as ever. How many it took.
   */
  async addUp(most: number): Promise<number> {
    const [row] = await this.statements.run<{ taken: number }>(sql`
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
      select count(*)::integer as taken from taken`);
    return row!.taken;
  }
}
