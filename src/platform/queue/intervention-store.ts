import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Lane } from './line-store.js';

interface AliveJob extends Lane {
  id: string;
  name: string;
  data: unknown;
}

const ALIVE = `state in ('queued', 'running', 'suspended')`;

/** The statements of those who step in from outside: they need no attempt, and end whichever there is. */
@Injectable()
export class InterventionStore {
  async resume(em: EntityManager, jobId: string): Promise<boolean> {
    const rows = await em.execute<object[]>(
      `update job set state = 'queued', run_at = now() where id = ? and state = 'suspended' returning id`,
      [jobId],
    );
    return rows.length > 0;
  }

  /** Until the commit it neither begins nor ends otherwise. */
  async holdAlive(em: EntityManager, jobId: string): Promise<AliveJob | null> {
    const [job] = await em.execute<AliveJob[]>(
      `select id, name, lane, width, data from job where id = ? and ${ALIVE} for update`,
      [jobId],
    );
    return job ?? null;
  }

  /** A recurring job gives up this run alone. */
  async giveUp(em: EntityManager, { id }: AliveJob, reason: string): Promise<void> {
    await em.execute(
      `update job set error = ?,
         state = case when every is null then 'failed' else 'queued' end,
         place = case when every is null then null else place end,
         finished_at = case when every is null then now() end,
         run_at = case when every is null then run_at else now() + make_interval(secs => every) end,
         forgiven = case when every is null then forgiven else attempt end
       where id = ? and ${ALIVE}`,
      [reason, id],
    );
  }

  /** In line again, where it stood. */
  async reopen(em: EntityManager, jobId: string): Promise<Lane | null> {
    const [job] = await em.execute<Lane[]>(
      `update job set state = 'queued', run_at = now(), forgiven = attempt, finished_at = null
       where id = ? and state = 'failed' returning lane, width`,
      [jobId],
    );
    return job ?? null;
  }
}
