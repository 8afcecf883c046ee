import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { Log } from '../telemetry/log.js';
import { isOfReplica, LeadsToReplica } from './master-connector.js';
import { FOR_REQUESTS, openRedis, type RedisClient } from './redis-client.js';

/** The server's certificate is refused, for the reason that TLS gives. Sentinels report only the text of an error. */
export class RefusedCertificate extends Error {
  static readonly SENTENCE =
    'its certificate is refused: name the file of its authority in NODE_EXTRA_CA_CERTS, and a host that the certificate has in REDIS_URL';

  constructor(reason: string) {
    super(`${RefusedCertificate.SENTENCE} (${reason})`);
  }
}

/** The connection that requests use. It knows why Redis is unavailable, and logs it once for all connections. */
@Injectable()
export class RedisConnection implements OnApplicationShutdown {
  readonly client: RedisClient;
  private outage: Error | undefined;

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
    const { message } = reported;
    const error = message.includes('certificate') ? new RefusedCertificate(message) : reported;
    const isNews = !this.outage || (error instanceof LeadsToReplica && !(this.outage instanceof LeadsToReplica));
    this.outage = error;
    if (isNews)
      this.log.warn({ reason: error.message }, 'Redis is unavailable, so each process counts rate limits by itself');
  }

  private noteEnd(): void {
    if (this.outage) this.log.info('Redis is available again');
    this.outage = undefined;
  }
}
