import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { HOUR_MS, MINUTE_MS } from '../../kernel/spans.js';
import { planned, raw, type Sql, sql } from '../database/sql.js';
import { exists, rows, type Statement, write } from '../database/statement.js';

export type ObjectName = Id<'storedObject'>;

/** Longer than any request takes to arrive. An object that is not kept by then never will be. */
const WRITE_WITHIN_MS = HOUR_MS;
/** The time in which a reader that began before the release may finish. */
const READ_ON_MS = 600_000;
/** The time after which another process retries a removal during which a process died. */
const TRY_AGAIN_MS = MINUTE_MS;

export const DOOMED_AT_ONCE = 100;

/** Announces an object whose first byte is about to be written, if the condition holds. */
export function announce(name: ObjectName, condition = raw('true')): Statement<void> {
  return write(
    planned`insert into unkept_object (name, due_at)
            select ${name}::text, ${inFuture(WRITE_WITHIN_MS)}::timestamptz where ${condition}`,
  );
}

/** Answers whether the object could be kept. A doomed object cannot. */
export function keep(name: ObjectName): Statement<boolean> {
  return exists(planned`delete from unkept_object where name = ${name} and not is_doomed returning name`);
}

export function release(names: readonly ObjectName[]): Statement<void> {
  return releaseSelected(sql`select unnest(${names}::text[])`);
}

/** Releases the objects whose names the query finds. */
export function releaseSelected(query: Sql): Statement<void> {
  return write(
    planned`insert into unkept_object (name, due_at)
            select name, ${inFuture(READ_ON_MS)} from (${query}) as gone (name)`,
  );
}

/** Dooms this object unless it is kept, or another process is already removing it. */
export function doom(name: ObjectName): Statement<ObjectName[]> {
  return doomWhere(sql`name = ${name}`);
}

/** Dooms objects that are due, a limited number at a time. */
export function doomDue(): Statement<ObjectName[]> {
  return doomWhere(sql`due_at < ${clock.now()}`);
}

/** Forgets objects that are no longer in the storage. */
export function forget(names: readonly ObjectName[]): Statement<void> {
  return write(sql`delete from unkept_object where name = any(${names})`);
}

/**
 * Marks objects so that no transaction can keep them any more. If this process dies before it has removed them, another
 * one tries again.
 */
function doomWhere(condition: Sql): Statement<ObjectName[]> {
  return rows<{ name: ObjectName }>(sql`
    update unkept_object set is_doomed = true, due_at = ${inFuture(TRY_AGAIN_MS)} where name = any(array(
      select name from unkept_object where ${condition} order by due_at limit ${raw(String(DOOMED_AT_ONCE))}
      for update skip locked))
    returning name`).as((doomed) => doomed.map(({ name }) => name));
}

function inFuture(milliseconds: number): Date {
  return new Date(clock.now().getTime() + milliseconds);
}
