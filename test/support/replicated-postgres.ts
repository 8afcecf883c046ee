import { freePort } from '../../scripts/services/server-process.mjs';
import { migrateDatabase } from './database.js';
import { OwnPostgres } from './own-postgres.js';
import { settingsFor } from './settings.js';

/** A PostgreSQL of its own, and a replica that follows it by streaming replication. */
export interface ReplicatedPostgres {
  primaryUrl: string;
  replicaUrl: string;
  /** Lets the replica fall behind until `goOn`. */
  pause(): Promise<unknown>;
  goOn(): Promise<unknown>;
  killReplica(): Promise<void>;
  startReplica(): Promise<void>;
  stop(): Promise<void>;
}

export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const postgres = await OwnPostgres.create();
  const port = await freePort();
  await postgres.makeCluster('primary');
  const follow = `primary_conninfo = 'host=127.0.0.1 port=${port} user=slipway'\n`;
  await postgres.copyCluster('primary', 'replica', 'standby', follow);

  const primary = await postgres.start('primary', [], port);
  await postgres.makeDatabase(primary);
  await migrateDatabase(settingsFor(primary.url));
  let replica = await postgres.start('replica');
  return {
    primaryUrl: primary.url,
    replicaUrl: replica.url,
    pause: () => replica.ask('select pg_wal_replay_pause()'),
    goOn: () => replica.ask('select pg_wal_replay_resume()'),
    killReplica: () => replica.kill(),
    async startReplica() {
      replica = await postgres.start('replica', [], replica.port);
    },
    stop: () => postgres.stop(),
  };
}
