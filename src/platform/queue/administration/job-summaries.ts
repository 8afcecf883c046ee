import { Injectable } from '@nestjs/common';
import { raw, sql } from '../../database/sql.js';
import { rows } from '../../database/statement.js';
import { Statements } from '../../database/statements.js';
import { jobDefinitions } from '../job-definition.js';
import type { JobRow } from '../job.entity.js';

const LATE_AFTER_SECONDS = 60;

export interface JobSummary extends Pick<JobRow, 'name' | 'queue'> {
  waiting: number;
  running: number;
  suspended: number;
  late: number;
  failed: number;
  /** How many seconds the longest-waiting job is past its time. */
  oldestWaitingSeconds: number;
}

/**
 * Counts the jobs of each name in each queue. It reads only rows that are alive or failed, so its cost does not grow
 * with the jobs that are done.
 */
@Injectable()
export class JobSummaries {
  constructor(private readonly statements: Statements) {}

  async read(): Promise<JobSummary[]> {
    const found = await this.statements.ask(SUMMARIES);
    const none = { waiting: 0, running: 0, suspended: 0, late: 0, failed: 0, oldestWaitingSeconds: 0 };
    const known = jobDefinitions().map(({ name, queue }) => ({ name, queue, ...none }));
    const all = new Map([...known, ...found].map((summary) => [keyOf(summary), summary]));
    return [...all.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }
}

const keyOf = ({ name, queue }: JobSummary) => `${name} ${queue}`;

/** A job whose lease has run out, or whose suspension is over, waits for a worker as a queued one does. */
const DUE_AT = raw(`case state when 'running' then lease_until else run_at end`);

const SUMMARIES = rows<JobSummary>(sql`
  select name, queue,
    (count(*) filter (where state = 'queued'))::int as waiting,
    (count(*) filter (where state = 'running'))::int as running,
    (count(*) filter (where state = 'suspended'))::int as suspended,
    (count(*) filter (where due_at < now() - make_interval(secs => ${LATE_AFTER_SECONDS})))::int as late,
    (count(*) filter (where state = 'failed'))::int as failed,
    greatest(0, coalesce(extract(epoch from now() - min(due_at)), 0))::float8 as "oldestWaitingSeconds"
  from (
    select name, queue, state, ${DUE_AT} as due_at from job where place is not null
    union all
    select name, queue, state, ${DUE_AT} from job where state = 'queued' and place is null
    union all
    select name, queue, 'failed', null from job where state = 'failed') as counted
  group by name, queue`);
