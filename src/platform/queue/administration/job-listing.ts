import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { cutPage, type Page, type PageRequest } from '../../../kernel/page.js';
import { raw, sql } from '../../database/sql.js';
import { Statements } from '../../database/statements.js';

export type JobState = 'queued' | 'running' | 'suspended' | 'done' | 'failed';

export interface ListedJob {
  id: string;
  name: string;
  state: JobState;
  projectId: string | null;
  lane: string;
  data: Record<string, unknown>;
  /** Those that count. */
  attempts: number;
  every: number | null;
  error: string | null;
  runAt: Date;
  createdAt: Date;
  finishedAt: Date | null;
  /** What its handler last reported. */
  progress: Record<string, unknown> | null;
}

export interface JobFilter {
  state?: JobState | undefined;
  name?: string | undefined;
  projectId?: string | undefined;
  lane?: string | undefined;
}

const COLUMNS = `id, name, state, project_id as "projectId", lane, data, attempt - forgiven as attempts, every, error, progress,
  run_at as "runAt", created_at as "createdAt", finished_at as "finishedAt"`;

/** Jobs as those see them who look after the service. */
@Injectable()
export class JobListing {
  constructor(private readonly statements: Statements) {}

  /** Newest first, which is by their ids. */
  async page(filter: JobFilter, { cursor, limit }: PageRequest): Promise<Page<ListedJob>> {
    const columns = { state: filter.state, name: filter.name, project_id: filter.projectId, lane: filter.lane };
    const wanted = Object.entries(columns).filter(([, value]) => value !== undefined);
    const values: unknown[] = wanted.map(([, value]) => value);
    const conditions = wanted.map(([column], at) => `${column} = $${at + 1}`);
    if (cursor !== undefined) conditions.push(`id < $${values.push(cursor)}`);
    const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : '';
    const rows = await this.statements.run<ListedJob>(
      `select ${COLUMNS} from job ${where} order by id desc limit $${values.push(limit + 1)}`,
      values,
    );
    return cutPage(rows, limit);
  }

  async find(jobId: string): Promise<ListedJob | null> {
    const [job] = await this.statements.run<ListedJob>(`select ${COLUMNS} from job where id = $1`, [jobId]);
    return job ?? null;
  }

  /** As it is in the transaction, and stays until its end but for what that changes. */
  async hold(em: EntityManager, jobId: string): Promise<ListedJob | null> {
    const [job] = await this.statements.runIn<ListedJob>(
      em,
      sql`select ${raw(COLUMNS)} from job where id = ${jobId} for update`,
    );
    return job ?? null;
  }
}
