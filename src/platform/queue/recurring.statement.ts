import { newId, timeOfId } from '../../kernel/ids.js';
import { namesOf, typedRow } from '../database/columns.js';
import { join, raw, sql } from '../database/sql.js';
import { type Statement, write } from '../database/statement.js';
import type { RecurringJob } from './job-definition.js';
import { Job } from './job.entity.js';

/** Adds the rows of recurring jobs that are missing, and sets their intervals and queues to those of the definitions. */
export function keepRecurring(definitions: readonly RecurringJob[]): Statement<void> {
  const wanted = definitions.map(({ name, queue, data, every }) => {
    const id = newId('job');
    return {
      id,
      name,
      queue,
      lane: name,
      place: 1,
      data: data.parse({}),
      state: 'queued' as const,
      every,
      runAt: raw('now()'),
      createdAt: timeOfId(id),
    };
  });
  const given = namesOf(Job, Object.keys(wanted[0]!) as (keyof (typeof wanted)[0])[]);
  const all = join(
    wanted.map((row) => sql`(select ${typedRow(Job, row)})`),
    ' union all ',
  );
  return write(
    sql`insert into job (${given}) select ${given} from (${all}) as wanted
     where not exists (select from job where job.name = wanted.name and job.every = wanted.every
       and job.queue = wanted.queue)
     on conflict (name) where every is not null do update set every = excluded.every, queue = excluded.queue,
       run_at = least(job.run_at, now() + make_interval(secs => excluded.every))`,
  );
}
