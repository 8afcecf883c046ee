import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/services/server-process.mjs';
import { makeCertificate } from './certificate.js';
import { eventually } from './eventually.js';
import { HOST_NAME, type RedisAccess, RedisServer } from './redis-server.js';
import { randomSecret } from './settings.js';

const SLOTS = 16_384;
const MASTERS = 3;
const HOST = '127.0.0.1';
/** A node listens for the others at its port and this much more. */
const BUS_PORT_OFFSET = 10_000;
const NODE_TIMEOUT_MS = 1_000;

/** A cluster of Redis with three masters and one replica of any of them. */
export class RedisCluster {
  private constructor(
    private readonly access: RedisAccess,
    private readonly nodes: readonly RedisServer[],
  ) {}

  /** With TLS, the nodes take no other connections, also from one another, and their certificate names a host. */
  static async start({ tls = false } = {}): Promise<RedisCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-redis-'));
    const certificate = tls ? makeCertificate(folder, { dns: HOST_NAME }) : undefined;
    const access = { folder, password: randomSecret(), certificate };
    const nodes: RedisServer[] = [];
    for (let at = 0; at <= MASTERS; at += 1) nodes.push(await startNode(access));
    const cluster = new RedisCluster(access, nodes);
    await cluster.join();
    return cluster;
  }

  /** Names only the first node. Clients learn from it where the others are. */
  get url(): string {
    const { certificate, password } = this.access;
    const [protocol, host] = certificate ? ['rediss-cluster', HOST_NAME] : ['redis-cluster', HOST];
    return `${protocol}://:${password}@${host}:${this.nodes[0]!.port}`;
  }

  /** The file of the certificate that clients have to trust. */
  get authority(): string | undefined {
    return this.access.certificate?.file;
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
    master.kill();
    await eventually(
      () => replica.redis.info('replication'),
      (text) => text.includes('role:master'),
      20_000,
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
    rmSync(this.access.folder, { recursive: true, force: true });
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

async function startNode(access: RedisAccess): Promise<RedisServer> {
  const announced = { 'cluster-announce-hostname': HOST_NAME, 'cluster-preferred-endpoint-type': 'hostname' };
  const directives = {
    'cluster-enabled': 'yes',
    'cluster-node-timeout': NODE_TIMEOUT_MS,
    // A node with TLS names itself to clients as its certificate does, and not by its address.
    ...(access.certificate && announced),
  };
  return RedisServer.start(access, directives, await portWithBus());
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
