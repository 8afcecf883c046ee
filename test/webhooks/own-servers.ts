import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../scripts/services/postgres.mjs';
import { startRedis } from '../../scripts/services/redis.mjs';
import { signalPostgres, signalRedis } from '../support/server-signal.js';

const log = () => undefined;

/** A PostgreSQL and a Redis that a test may kill. Commits of PostgreSQL survive that. */
export class OwnServers {
  private constructor(
    private readonly dataDir: string,
    private postgres: Awaited<ReturnType<typeof startPostgres>>,
    private redis: Awaited<ReturnType<typeof startRedis>>,
  ) {}

  static async start(): Promise<OwnServers> {
    const dataDir = mkdtempSync(join(tmpdir(), 'slipway-servers-'));
    // If the test runs as root, PostgreSQL runs as another user, who has to reach its files.
    chmodSync(dataDir, 0o755);
    const [postgres, redis] = await Promise.all([startPostgres({ dataDir, log }), startRedis({ dataDir, log })]);
    return new OwnServers(dataDir, postgres, redis);
  }

  get databaseUrl(): string {
    return this.postgres.url;
  }

  get redisUrl(): string {
    return this.redis.url;
  }

  async killPostgres(): Promise<void> {
    signalPostgres(this.dataDir, 'SIGKILL');
    await this.postgres.exited;
    this.postgres = await startPostgres({ dataDir: this.dataDir, log, port: this.postgres.port });
  }

  /** Kills Redis, and starts it again with an empty disk. */
  async killRedis(): Promise<void> {
    const { port, password } = this.redis;
    signalRedis(this.dataDir, 'SIGKILL');
    await this.redis.exited;
    for (const name of ['appendonlydir', 'appendonly.aof', 'dump.rdb']) {
      rmSync(join(this.dataDir, 'redis', name), { recursive: true, force: true });
    }
    this.redis = await startRedis({ dataDir: this.dataDir, log, port, password });
  }

  /** Stops the server's processes, which keep their connections and do nothing. */
  freezePostgres(): void {
    signalPostgres(this.dataDir, 'SIGSTOP', { andChildren: true });
  }

  thawPostgres(): void {
    signalPostgres(this.dataDir, 'SIGCONT', { andChildren: true });
  }

  freezeRedis(): void {
    signalRedis(this.dataDir, 'SIGSTOP');
  }

  thawRedis(): void {
    signalRedis(this.dataDir, 'SIGCONT');
  }

  async stop(): Promise<void> {
    await Promise.all([this.postgres.stop(), this.redis.stop()]);
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
