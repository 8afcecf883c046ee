import { EntityRepository } from '@mikro-orm/postgresql';
import { columnsOf, newRow } from '../../platform/database/columns.js';
import { raw, sql } from '../../platform/database/sql.js';
import { rows, type Statement, write } from '../../platform/database/statement.js';
import { HostingProcess, type HostingProcessRow } from './hosting-process.entity.js';

/** How long a process that says nothing more is believed to serve. */
const LEASE = raw(`interval '6 seconds'`);

export class HostingProcessRepository extends EntityRepository<HostingProcess> {
  /** A sign of life, and how many more the process could serve, or why it cannot. */
  announce(process: Omit<HostingProcessRow, 'leaseUntil'>): Statement<void> {
    return write(sql`
      insert into model_host ${newRow(HostingProcess, { ...process, leaseUntil: sql`now() + ${LEASE}` })}
      on conflict (holder) do update
      set room = excluded.room, problem = excluded.problem, lease_until = excluded.lease_until`);
  }

  /** Its replicas go with it, and others may take at once what it served. */
  takeOut(id: string): Statement<void> {
    return write(sql`delete from model_host where holder = ${id}`);
  }

  live(host: string): Statement<HostingProcessRow[]> {
    return rows(sql`select ${columnsOf(HostingProcess)} from model_host where host = ${host} and lease_until > now()`);
  }
}
