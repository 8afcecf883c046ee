import { Injectable } from '@nestjs/common';
import { raw, sql } from '../../database/sql.js';
import { rows } from '../../database/statement.js';
import { Statements } from '../../database/statements.js';
import { jobDefinitions } from '../job-definition.js';
import type { JobRow } from '../job.entity.js';

const LATE_AFTER_SECONDS = 60;

interface JobCounts {
  waiting: number;
  /** The jobs that wait for a worker. Those that are queued for later wait for their time instead. */
  due: number;
  running: number;
  suspended: number;
  late: number;
  failed: number;
  /** How many seconds the longest-waiting job is past its time. */
  oldestWaitingSeconds: number;
}

export interface JobSummary extends Pick<JobRow, 'name' | 'queue'>, JobCounts {}

export interface LaneSummary extends Pick<JobRow, 'lane' | 'projectId'>, JobCounts {}

/** Counts jobs. It reads only rows that are alive or failed, so its cost does not grow with the jobs that are done. */
@Injectable()
export class JobSummaries {
  constructor(private readonly statements: Statements) {}

  /** Counts the jobs of each name in each queue. */
  async byName(): Promise<JobSummary[]> {
    const found = await this.statements.ask(BY_NAME);
    const none = { waiting: 0, due: 0, running: 0, suspended: 0, late: 0, failed: 0, oldestWaitingSeconds: 0 };
    const known = jobDefinitions().map(({ name, queue }) => ({ name, queue, ...none }));
    const all = new Map([...known, ...found].map((summary) => [keyOf(summary), summary]));
    return [...all.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  /** Counts the jobs of the fullest lanes. Recurring jobs and others that have a lane to themselves are left out. */
  byLane(limit: number): Promise<LaneSummary[]> {
    return this.statements.ask(
      rows<LaneSummary>(sql`
        select lane, project_id as "projectId", ${COUNTS} from (${COUNTED_JOBS}) as counted
        where lane <> id and every is null
        group by lane, project_id order by waiting desc, failed desc, lane limit ${limit}`),
    );
  }
}

const keyOf = ({ name, queue }: JobSummary) => `${name} ${queue}`;

/** A job whose lease has run out, or whose suspension is over, waits for a worker as a queued one does. */
const DUE_AT = raw(`case state when 'running' then lease_until else run_at end as due_at`);

/** Each part of the union is an index of its own. */
export const COUNTED_JOBS = sql`
  select id, name, queue, lane, project_id, every, state, ${DUE_AT} from job where place is not null
  union all
  select id, name, queue, lane, project_id, every, state, ${DUE_AT} from job where state = 'queued' and place is null
  union all
  select id, name, queue, lane, project_id, every, 'failed', null from job where state = 'failed'`;

const COUNTS = sql`
  (count(*) filter (where state = 'queued'))::int as waiting,
  (count(*) filter (where due_at <= now()))::int as due,
  (count(*) filter (where state = 'running'))::int as running,
  (count(*) filter (where state = 'suspended'))::int as suspended,
  (count(*) filter (where due_at < now() - make_interval(secs => ${LATE_AFTER_SECONDS})))::int as late,
  (count(*) filter (where state = 'failed'))::int as failed,
  greatest(0, coalesce(extract(epoch from now() - min(due_at)), 0))::float8 as "oldestWaitingSeconds"`;

const BY_NAME = rows<JobSummary>(sql`
  select name, queue, ${COUNTS} from (${COUNTED_JOBS}) as counted group by name, queue`);
