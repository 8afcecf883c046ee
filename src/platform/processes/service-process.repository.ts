import { EntityRepository } from '@mikro-orm/postgresql';
import { columnsOf, newRow, type RowOf } from '../database/columns.js';
import { sql } from '../database/sql.js';
import { rows, type Statement, write } from '../database/statement.js';
import { ServiceProcess } from './service-process.entity.js';

/** A process without a heartbeat for this long is regarded as dead: two heartbeats were missed, and some time passed. */
export const DEAD_AFTER_SECONDS = 75;

export type Beating = Pick<ServiceProcess, 'id' | 'name' | 'role' | 'queues' | 'version'>;

export interface ListedProcess extends RowOf<ServiceProcess> {
  isAlive: boolean;
}

/** All times are those of the database, because the clocks of machines differ. */
export class ServiceProcessRepository extends EntityRepository<ServiceProcess> {
  /** Notes that the process lives. The first heartbeat is the time of its start. */
  beat(process: Beating): Statement<void> {
    const now = sql`now()`;
    return write(sql`
      insert into service_process ${newRow(ServiceProcess, { ...process, startedAt: now, seenAt: now })}
      on conflict (id) do update set seen_at = excluded.seen_at`);
  }

  delete(id: string): Statement<void> {
    return write(sql`delete from service_process where id = ${id}`);
  }

  /** Answers with the processes that live or have died, the oldest first. Retention deletes the dead ones. */
  all(): Statement<ListedProcess[]> {
    return rows<ListedProcess>(sql`
      select ${columnsOf(ServiceProcess)},
        seen_at > now() - make_interval(secs => ${DEAD_AFTER_SECONDS}) as "isAlive"
      from service_process order by started_at, id`);
  }
}
