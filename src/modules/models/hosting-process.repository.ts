import { EntityRepository } from '@mikro-orm/postgresql';
import { columnsOf, newRow } from '../../platform/database/columns.js';
import { raw, sql } from '../../platform/database/sql.js';
import { rows, type Statement, write } from '../../platform/database/statement.js';
import { HostingProcess, type HostingProcessRow } from './hosting-process.entity.js';

/** A process that has not renewed its lease for this long is regarded as dead. */
const LEASE = raw(`interval '6 seconds'`);

export class HostingProcessRepository extends EntityRepository<HostingProcess> {
  /** Renews the lease of a process, and writes how many more replicas it has room for, or why it cannot host any. */
  renewLease(process: Omit<HostingProcessRow, 'leaseUntil'>): Statement<void> {
    return write(sql`
      insert into model_host ${newRow(HostingProcess, { ...process, leaseUntil: sql`now() + ${LEASE}` })}
      on conflict (holder) do update
      set room = excluded.room, problem = excluded.problem, lease_until = excluded.lease_until`);
  }

  /** Deletes a process and its replicas, so that other processes may claim its deployments at once. */
  delete(id: string): Statement<void> {
    return write(sql`delete from model_host where holder = ${id}`);
  }

  live(host: string): Statement<HostingProcessRow[]> {
    return rows(sql`select ${columnsOf(HostingProcess)} from model_host where host = ${host} and lease_until > now()`);
  }
}
