import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { runQuietly } from '../../scripts/command.mjs';
import { findHome } from '../../scripts/services/postgres-home.mjs';
import { freePort } from '../../scripts/services/server-process.mjs';
import { eventually } from './eventually.js';

/** This user is a superuser and needs no password. */
const USER = 'slipway';
const SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'timezone=UTC'];

type Home = Awaited<ReturnType<typeof findHome>>;

export interface RunningPostgres {
  /** The address of the database of the service. */
  url: string;
  port: number;
  ask: (text: string) => Promise<Record<string, unknown>[]>;
  kill: () => Promise<void>;
}

/** A folder for clusters of PostgreSQL that a test sets up itself, with the embedded PostgreSQL. */
export class OwnPostgres {
  private readonly running = new Set<ChildProcess>();

  private constructor(
    private readonly dataDir: string,
    private readonly home: Home,
  ) {}

  static async create(): Promise<OwnPostgres> {
    const dataDir = mkdtempSync(join(tmpdir(), 'slipway-postgres-'));
    chmodSync(dataDir, 0o755);
    return new OwnPostgres(dataDir, await findHome({ dataDir, durable: false, log: () => undefined }));
  }

  /** The path of a folder in which the servers may write. */
  folder(name: string): string {
    const path = join(this.home.path, name);
    mkdirSync(path, { recursive: true });
    if (this.home.uid !== undefined) chownSync(path, this.home.uid, this.home.gid!);
    return path;
  }

  async makeCluster(name: string): Promise<void> {
    const place = ['--pgdata', join(this.home.path, name), '--username', USER, '--auth', 'trust'];
    await this.run(this.home.binaries.initdb, [...place, '--no-sync', '--locale', 'C', '--encoding', 'UTF8']);
  }

  /** Before its first start, a copy of a cluster is as good as a backup. `signal` says what the copy begins as. */
  async copyCluster(from: string, to: string, signal: 'standby' | 'recovery', settings: string): Promise<void> {
    await this.run('cp', ['-r', join(this.home.path, from), join(this.home.path, to)]);
    await this.run('touch', [join(this.home.path, to, `${signal}.signal`)]);
    appendFileSync(join(this.home.path, to, 'postgresql.auto.conf'), settings);
  }

  async start(name: string, settings: readonly string[] = [], port?: number): Promise<RunningPostgres> {
    const at = port ?? (await freePort());
    const all = [...SETTINGS, ...settings].flatMap((setting) => ['-c', setting]);
    const args = ['-D', join(this.home.path, name), '-p', String(at), ...all];
    const child = spawn(this.home.binaries.postgres, args, { ...this.options, stdio: 'ignore' });
    this.running.add(child);
    const ask = (text: string) => askServer(at, text);
    const isUp = () =>
      ask('select 1').then(
        () => true,
        () => false,
      );
    await eventually(isUp, Boolean);
    return { url: urlOf(at, USER), port: at, ask, kill: () => kill(child) };
  }

  /** Makes the database of the service, in which no migration has run. */
  async makeDatabase({ ask }: RunningPostgres): Promise<void> {
    await ask(`create database ${USER}`);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.running].map(kill));
    this.home.remove();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  private async run(command: string, args: string[]): Promise<void> {
    await runQuietly(command, args, this.options);
  }

  private get options() {
    const { path, uid, gid } = this.home;
    return { cwd: path, ...(uid !== undefined && { uid, gid: gid! }) };
  }
}

const urlOf = (port: number, database: string) => `postgresql://${USER}@127.0.0.1:${port}/${database}`;

async function askServer(port: number, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: urlOf(port, 'postgres') });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGQUIT');
  await once(child, 'exit');
}
