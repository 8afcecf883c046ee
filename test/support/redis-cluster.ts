import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findRedis } from '../../scripts/services/redis-program.mjs';
import { freePort } from '../../scripts/services/server-process.mjs';
import { eventually } from './eventually.js';
import { randomSecret } from './settings.js';

const SLOTS = 16_384;
const MASTERS = 3;
const HOST = '127.0.0.1';
/** A node listens for the others at its port and this much more. */
const BUS_PORT_OFFSET = 10_000;
const NODE_TIMEOUT_MS = 1_000;

interface Node {
  port: number;
  child: ChildProcess;
  redis: Redis;
}

/** A cluster of Redis with three masters and one replica of any of them. */
export class RedisCluster {
  private constructor(
    private readonly folder: string,
    private readonly password: string,
    private readonly nodes: readonly Node[],
  ) {}

  static async start(): Promise<RedisCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-redis-'));
    const password = randomSecret();
    const nodes: Node[] = [];
    for (let at = 0; at <= MASTERS; at += 1) nodes.push(await startNode(folder, password));
    const cluster = new RedisCluster(folder, password, nodes);
    await cluster.join();
    return cluster;
  }

  /** Names only the first node. Clients learn from it where the others are. */
  get url(): string {
    return `redis-cluster://:${this.password}@${HOST}:${this.nodes[0]!.port}`;
  }

  /** Gives the master that stores this key its replica, and kills the master when the replica is in step. */
  async failOver(key: string): Promise<void> {
    const slot = await this.nodes[0]!.redis.cluster('KEYSLOT', key);
    const master = this.nodes.slice(0, MASTERS).find((_, at) => slot < firstSlotOf(at + 1))!;
    const replica = this.nodes[MASTERS]!;
    await replica.redis.cluster('REPLICATE', String(await master.redis.cluster('MYID')));
    await eventually(
      () => replica.redis.info('replication'),
      (text) => text.includes('master_link_status:up'),
    );
    master.child.kill('SIGKILL');
    await eventually(
      () => replica.redis.info('replication'),
      (text) => text.includes('role:master'),
      20_000,
    );
  }

  async stop(): Promise<void> {
    for (const { redis, child } of this.nodes) {
      redis.disconnect();
      if (child.kill('SIGKILL')) await once(child, 'exit');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async join(): Promise<void> {
    const [first] = this.nodes;
    for (const [at, { redis, port }] of this.nodes.entries()) {
      if (at < MASTERS) await redis.cluster('ADDSLOTS', ...range(firstSlotOf(at), firstSlotOf(at + 1)));
      await redis.cluster('SET-CONFIG-EPOCH', at + 1);
      if (at > 0) await first!.redis.cluster('MEET', HOST, port);
    }
    for (const { redis } of this.nodes) {
      const info = () => redis.cluster('INFO');
      const isJoined = (text: string) => text.includes('state:ok') && text.includes(`known_nodes:${this.nodes.length}`);
      await eventually(info, isJoined, 20_000);
    }
  }
}

const firstSlotOf = (master: number) => Math.floor((SLOTS * master) / MASTERS);

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}

async function startNode(folder: string, password: string): Promise<Node> {
  const port = await portWithBus();
  const dir = join(folder, String(port));
  mkdirSync(dir);
  mkdirSync(join(folder, 'redis'), { recursive: true });
  const { command, env } = await findRedis({ dataDir: folder, log: () => undefined });
  const options = { bind: HOST, port, dir, requirepass: password, masterauth: password, save: '' };
  const ofCluster = { 'cluster-enabled': 'yes', 'cluster-node-timeout': NODE_TIMEOUT_MS };
  const args = Object.entries({ ...options, ...ofCluster }).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(command, args, { env, stdio: 'ignore' });
  const redis = new Redis({ host: HOST, port, password, maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('A node of the cluster has ended')));
  ended.catch(() => undefined);
  await Promise.race([redis.ping(), ended]);
  return { port, child, redis };
}

async function portWithBus(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (await isFree(port + BUS_PORT_OFFSET)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  if (port >= 65_536) return false;
  const server = createServer();
  try {
    await once(server.listen(port, HOST), 'listening');
  } catch {
    return false;
  }
  await once(server.close(), 'close');
  return true;
}
