import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { runQuietly } from '../../scripts/command.mjs';
import { findHome } from '../../scripts/services/postgres-home.mjs';
import { freePort } from '../../scripts/services/server-process.mjs';
import { migrateDatabase } from './database.js';
import { eventually } from './eventually.js';

const USER = 'slipway';

/** A PostgreSQL of its own, and a replica that follows it by streaming replication. */
export interface ReplicatedPostgres {
  primaryUrl: string;
  replicaUrl: string;
  /** Lets the replica fall behind until `goOn`. */
  pause(): Promise<void>;
  goOn(): Promise<void>;
  killReplica(): Promise<void>;
  startReplica(): Promise<void>;
  stop(): Promise<void>;
}

export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-replica-'));
  chmodSync(dataDir, 0o755);
  const home = await findHome({ dataDir, durable: false, log: () => undefined });
  const account = home.uid === undefined ? {} : { uid: home.uid, gid: home.gid! };
  const options = { cwd: home.path, ...account };
  const [primary, replica] = [join(home.path, 'primary'), join(home.path, 'replica')];
  const [primaryPort, replicaPort] = [await freePort(), await freePort()];

  await runQuietly(
    home.binaries.initdb,
    ['--pgdata', primary, '--username', USER, '--auth', 'trust', '--no-sync', '--locale', 'C', '--encoding', 'UTF8'],
    options,
  );
  // Before its first start, a copy of the primary's files is as good as a backup.
  await runQuietly('cp', ['-r', primary, replica], options);
  writeFileSync(join(replica, 'standby.signal'), '');
  appendFileSync(
    join(replica, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${primaryPort} user=${USER}'\n`,
  );

  const start = (folder: string, port: number) => startServer(home.binaries.postgres, folder, port, options);
  const primaryServer = await start(primary, primaryPort);
  await ask(urlOf(primaryPort, 'postgres'), `create database ${USER}`);
  await migrateDatabase(urlOf(primaryPort));
  let replicaServer = await start(replica, replicaPort);
  return {
    primaryUrl: urlOf(primaryPort),
    replicaUrl: urlOf(replicaPort),
    pause: () => ask(urlOf(replicaPort, 'postgres'), 'select pg_wal_replay_pause()'),
    goOn: () => ask(urlOf(replicaPort, 'postgres'), 'select pg_wal_replay_resume()'),
    killReplica: () => kill(replicaServer),
    async startReplica() {
      replicaServer = await start(replica, replicaPort);
    },
    async stop() {
      await Promise.all([kill(replicaServer), kill(primaryServer)]);
      home.remove();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const urlOf = (port: number, database = USER) => `postgresql://${USER}@127.0.0.1:${port}/${database}`;

async function startServer(command: string, folder: string, port: number, options: object): Promise<ChildProcess> {
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'timezone=UTC'];
  const args = ['-D', folder, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const child = spawn(command, args, { ...options, stdio: 'ignore' });
  await eventually(
    () =>
      ask(urlOf(port, 'postgres'), 'select 1').then(
        () => true,
        () => false,
      ),
    Boolean,
  );
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGQUIT');
  await once(child, 'exit');
}

async function ask(connectionString: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
