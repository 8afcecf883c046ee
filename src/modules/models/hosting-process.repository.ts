import { EntityRepository } from '@mikro-orm/postgresql';
import { columnsOf, newRow } from '../../platform/database/columns.js';
import { sql } from '../../platform/database/sql.js';
import { rows, type Statement, write } from '../../platform/database/statement.js';
import { HostingProcess, type HostingProcessRow } from './hosting-process.entity.js';
import { LEASE } from './serving/lease.js';

export class HostingProcessRepository extends EntityRepository<HostingProcess> {
  /** That the process could serve so many more, or why it cannot. */
  announce(process: Omit<HostingProcessRow, 'leaseUntil'>): Statement<void> {
    return write(sql`
      insert into model_host ${newRow(HostingProcess, { ...process, leaseUntil: sql`now() + ${LEASE}` })}
      on conflict (holder) do update
      set room = excluded.room, problem = excluded.problem, lease_until = excluded.lease_until`);
  }

  takeOut(holder: string): Statement<void> {
    return write(sql`delete from model_host where holder = ${holder}`);
  }

  live(host: string): Statement<HostingProcessRow[]> {
    return rows(sql`select ${columnsOf(HostingProcess)} from model_host where host = ${host} and lease_until > now()`);
  }
}
