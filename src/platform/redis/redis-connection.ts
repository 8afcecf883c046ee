import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { Log } from '../telemetry/log.js';
import { isOfReplica } from './master-connector.js';
import { isReset, KnownOutage, LeadsToReplica, toOutage } from './outages.js';
import { FOR_REQUESTS, openRedis, type RedisClient } from './redis-client.js';

/**
 * The connection that requests use. It knows why Redis is unavailable. For all connections, it logs each kind of an
 * outage once.
 */
@Injectable()
export class RedisConnection implements OnApplicationShutdown {
  readonly client: RedisClient;
  private outage: Error | undefined;
  private readonly logged = new Set<unknown>();

  constructor(
    private readonly settings: Settings,
    private readonly log: Log,
  ) {
    this.client = openRedis(settings.REDIS_URL, FOR_REQUESTS);
    this.client.on('error', (error: Error) => this.note(error));
    this.client.on('ready', () => this.noteEnd());
  }

  /**
   * Fails with the reason if Redis refuses writes, since a replica and a full server answer a ping too. The write adds
   * nothing, so Redis neither stores nor copies it.
   */
  async check(): Promise<void> {
    try {
      await this.client.setrange(`${this.settings.REDIS_PREFIX}:nothing`, 0, '');
    } catch (error) {
      if (isOfReplica(error as Error)) throw new LeadsToReplica();
      throw this.outage ?? error;
    }
  }

  onApplicationShutdown(): void {
    this.client.disconnect();
  }

  private note(reported: Error): void {
    // A reset connection may have lost the alert of TLS that said why it was closed.
    if (this.outage instanceof KnownOutage && isReset(reported)) return;
    this.outage = toOutage(reported);
    const kind = this.outage instanceof KnownOutage ? this.outage.constructor : Error;
    if (this.logged.has(kind)) return;
    this.logged.add(kind);
    const reason = this.outage.message;
    this.log.warn({ reason }, 'Redis is unavailable, so each process counts rate limits by itself');
  }

  private noteEnd(): void {
    if (this.outage) this.log.info('Redis is available again');
    this.outage = undefined;
    this.logged.clear();
  }
}
