import { type Sql, sql } from '../database/sql.js';

/** The time after which a job without a heartbeat is reclaimed. */
export const LEASE_SECONDS = 30;

export function leaseEnd(): Sql {
  // The transaction that adds a job may have begun long ago, and now() is when it began.
  return sql`clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})`;
}
