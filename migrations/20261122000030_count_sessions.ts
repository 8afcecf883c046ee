import { Migration } from '@mikro-orm/migrations';

/**
 * Counts the sessions that began in each ten minutes (a slot), so that a list of a million sessions has its total
 * without counting them. A job counts the sessions of past slots. The triggers record what happens to counted sessions
 * afterwards, whatever statement does it.
 */
export class CountSessions extends Migration {
  override up(): void {
    // Only the job updates or deletes rows; all others are appended. There are no foreign keys, because sessions that
    // are deleted with their app are subtracted after it.
    this.addSql(`
      create table session_count (
        project_id text collate "C" not null,
        app_id text collate "C" not null,
        environment text not null,
        source text collate "C" not null,
        slot timestamptz not null,
        is_new boolean not null,
        n bigint not null
      )`);
    this.addSql(`
      create index session_count_slot on session_count (app_id, slot) include (project_id, environment, source, n)`);
    this.addSql(`create index session_count_new on session_count (slot) where is_new`);
    // The sums cover sessions that began before this time; later ones are counted individually. The table has one row.
    this.addSql(`
      create table session_counting (
        is_only boolean primary key default true check (is_only),
        counted_until timestamptz not null
      )`);
    this.addSql(`insert into session_counting (counted_until) values ('-infinity')`);

    this.addSql(`
      create function session_slot(moment timestamptz) returns timestamptz language sql immutable
      return date_bin('10 minutes', moment, '2000-01-01T00:00:00Z')`);
    this.addSql(`
      create function count_late_session() returns trigger language plpgsql as $$
      begin
        insert into session_count (project_id, app_id, environment, source, slot, is_new, n)
        values (new.project_id, new.app_id, new.environment, new.source,
                session_slot(new.created_at), true, 1);
        return null;
      end $$`);
    this.addSql(`
      create function count_off_moved_session() returns trigger language plpgsql as $$
      begin
        insert into session_count (project_id, app_id, environment, source, slot, is_new, n)
        values (old.project_id, old.app_id, old.environment, old.source,
                session_slot(old.created_at), true, -1);
        return null;
      end $$`);
    this.addSql(`
      create function count_off_deleted_sessions() returns trigger language plpgsql as $$
      begin
        insert into session_count (project_id, app_id, environment, source, slot, is_new, n)
        select project_id, app_id, environment, source, session_slot(created_at), true, -count(*)
        from deleted group by 1, 2, 3, 4, 5;
        return null;
      end $$`);
    // The job counts a slot only when every new session of that slot would be late.
    this.addSql(`
      create trigger count_late after insert on session for each row
      when (new.created_at < clock_timestamp() - interval '5 minutes') execute function count_late_session()`);
    this.addSql(`
      create trigger count_off_deleted after delete on session referencing old table as deleted
      for each statement execute function count_off_deleted_sessions()`);
    // The service itself never moves a session. With these triggers, an operator who does so by hand need not know of
    // the sums.
    const place = 'project_id, app_id, environment, source, created_at';
    this.addSql(`
      create trigger count_off_moved after update of ${place} on session for each row
      execute function count_off_moved_session()`);
    this.addSql(`
      create trigger count_late_moved after update of ${place} on session for each row
      when (new.created_at < clock_timestamp() - interval '5 minutes') execute function count_late_session()`);
  }
}
