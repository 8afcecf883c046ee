import { planned } from '../sql.js';
import { type Statement, theRow } from '../statement.js';
import { type WalPosition, withAllDigits } from './wal-position.js';

export interface PrimaryAt {
  position: WalPosition;
  /** The cluster that the position belongs to. */
  cluster: string;
}

export interface ReplicaAt {
  isReplica: boolean;
  isFresh: boolean | null;
  cluster: string;
}

/** Asks the primary how far it has written. */
export function positionOfPrimary(): Statement<PrimaryAt> {
  return theRow<PrimaryAt>(planned`
    select pg_current_wal_insert_lsn()::text as position, system_identifier::text as cluster
    from pg_control_system()`).as(({ position, cluster }) => ({ position: withAllDigits(position), cluster }));
}

/** Asks a server whether it is a replica that has replayed the position. */
export function replicaAt(position: WalPosition): Statement<ReplicaAt> {
  return theRow<ReplicaAt>(planned`
    select pg_is_in_recovery() as "isReplica", pg_last_wal_replay_lsn() >= ${position}::pg_lsn as "isFresh",
      system_identifier::text as cluster
    from pg_control_system()`);
}

/** A replica that has replayed everything is not behind, however long ago the last transaction was. */
export function secondsBehind(position: WalPosition): Statement<number> {
  return theRow<{ seconds: number }>(planned`
    select case when pg_last_wal_replay_lsn() >= ${position}::pg_lsn then 0
      else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 end as seconds`).as(
    ({ seconds }) => seconds,
  );
}
