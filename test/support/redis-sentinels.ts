import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from './certificate.js';
import { eventually } from './eventually.js';
import { HOST_NAME, type RedisAccess, RedisServer } from './redis-server.js';
import { randomSecret } from './settings.js';

const SENTINELS = 3;
const QUORUM = 2;
const DOWN_AFTER_MS = 500;
const FAILOVER_TIMEOUT_MS = 5_000;

/** A master of Redis with a replica, and three sentinels that watch them under the name `main`. */
export class RedisWithSentinels {
  private constructor(
    private readonly access: RedisAccess,
    private readonly master: RedisServer,
    private readonly replica: RedisServer,
    private readonly sentinels: readonly RedisServer[],
  ) {}

  /** With TLS, servers and sentinels take no other connections, and name themselves as their certificate does. */
  static async start({ tls = false } = {}): Promise<RedisWithSentinels> {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-redis-'));
    const certificate = tls ? makeCertificate(folder, { dns: HOST_NAME }) : undefined;
    const access = { folder, password: randomSecret(), certificate };
    const master = await RedisServer.start(access, { 'replica-announce-ip': HOST_NAME });
    const following = { replicaof: `${HOST_NAME} ${master.port}`, 'replica-announce-ip': HOST_NAME };
    const replica = await RedisServer.start(access, following);
    const sentinels = await Promise.all(Array.from({ length: SENTINELS }, () => startSentinel(access, master)));
    const all = new RedisWithSentinels(access, master, replica, sentinels);
    await all.join();
    return all;
  }

  get url(): string {
    const { certificate, password } = this.access;
    const hosts = this.sentinels.map(({ port }) => `${HOST_NAME}:${port}`).join(',');
    return `${certificate ? 'rediss' : 'redis'}-sentinel://:${password}@${hosts}/main`;
  }

  /** The file of the certificate that clients have to trust. */
  get authority(): string | undefined {
    return this.access.certificate?.file;
  }

  /** Kills the master, and waits until the sentinels have made the replica the master. */
  async failOver(): Promise<void> {
    this.master.kill();
    await eventually(
      () => this.replica.redis.info('replication'),
      (text) => text.includes('role:master'),
    );
  }

  async stop(): Promise<void> {
    await Promise.all([this.master, this.replica, ...this.sentinels].map((server) => server.stop()));
    rmSync(this.access.folder, { recursive: true, force: true });
  }

  /** Waits until each sentinel knows the replica and the other sentinels, because it asks them whom to make master. */
  private async join(): Promise<void> {
    for (const { redis } of this.sentinels) {
      await eventually(
        () => redis.info('sentinel'),
        (text) => text.includes(`status=ok`) && text.includes(`slaves=1,sentinels=${SENTINELS}`),
      );
    }
  }
}

function startSentinel(access: RedisAccess, master: RedisServer): Promise<RedisServer> {
  return RedisServer.startSentinel(access, {
    // Addresses are announced as hosts, so these come before the master.
    'sentinel resolve-hostnames': 'yes',
    'sentinel announce-hostnames': 'yes',
    'sentinel announce-ip': HOST_NAME,
    'sentinel monitor': `main ${HOST_NAME} ${master.port} ${QUORUM}`,
    'sentinel auth-pass': `main ${access.password}`,
    'sentinel down-after-milliseconds': `main ${DOWN_AFTER_MS}`,
    'sentinel failover-timeout': `main ${FAILOVER_TIMEOUT_MS}`,
  });
}
