import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { raw, sql } from '../database/sql.js';
import { Statements } from '../database/statements.js';
import type { Lane } from './line-store.js';

interface AliveJob extends Lane {
  id: string;
  name: string;
  data: unknown;
}

const ALIVE = raw(`state in ('queued', 'running', 'suspended')`);

/** The statements of those who step in from outside: they need no attempt, and end whichever there is. */
@Injectable()
export class InterventionStore {
  constructor(private readonly statements: Statements) {}

  async resume(em: EntityManager, jobId: string): Promise<boolean> {
    const rows = await this.statements.runIn(
      em,
      sql`update job set state = 'queued', run_at = now() where id = ${jobId} and state = 'suspended' returning id`,
    );
    return rows.length > 0;
  }

  /** Until the commit it neither begins nor ends otherwise. */
  async holdAlive(em: EntityManager, jobId: string): Promise<AliveJob | null> {
    const [job] = await this.statements.runIn<AliveJob>(
      em,
      sql`select id, name, lane, width, data from job where id = ${jobId} and ${ALIVE} for update`,
    );
    return job ?? null;
  }

  /** A recurring job gives up this run alone. */
  async giveUp(em: EntityManager, { id }: AliveJob, reason: string): Promise<void> {
    await this.statements.writeIn(
      em,
      sql`update job set error = ${reason},
         state = case when every is null then 'failed' else 'queued' end,
         place = case when every is null then null else place end,
         finished_at = case when every is null then now() end,
         run_at = case when every is null then run_at else now() + make_interval(secs => every) end,
         forgiven = case when every is null then forgiven else attempt end
       where id = ${id} and ${ALIVE}`,
    );
  }

  /** In line again, where it stood. */
  async reopen(em: EntityManager, jobId: string): Promise<Lane | null> {
    const [job] = await this.statements.runIn<Lane>(
      em,
      sql`update job set state = 'queued', run_at = now(), forgiven = attempt, finished_at = null
          where id = ${jobId} and state = 'failed' returning lane, width`,
    );
    return job ?? null;
  }
}
