import { MikroORM } from '@mikro-orm/postgresql';
import { Inject, Injectable, ServiceUnavailableException } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import type { z } from 'zod';
import { Settings } from '../config/settings.js';
import { httpErrors } from '../route/http.errors.js';
import { Stopping } from '../http/stopping.js';
import { pendingMigrations } from '../database/plugin-migrations.js';
import { Storage } from '../storage/storage.js';
import { type Live, Ready } from './health.schema.js';
import { REDIS, type RedisClient } from '../redis/redis-client.js';

const CHECK_WITHIN_MS = 2_000;
const STOPPING = { status: 'down', message: 'is stopping' };

@Injectable()
export class Readiness {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly orm: MikroORM,
    private readonly storage: Storage,
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly stopping: Stopping,
    private readonly settings: Settings,
  ) {}

  /** Balancers that look only at the liveness also send no more requests to a process that stops. */
  checkAlive(): z.infer<typeof Live> {
    this.refuseWhenStopping();
    return { status: 'ok' };
  }

  async check(): Promise<z.infer<typeof Ready>> {
    this.refuseWhenStopping();
    try {
      const checks = [() => this.database(), () => this.migrations(), () => this.storageIsUp(), () => this.redisIsUp()];
      if (this.settings.JOBS === 'held')
        checks.push(async () => this.indicators.check('jobs').degraded('do not run, because JOBS is held'));
      const { status, details } = await this.health.check(checks);
      return Ready.parse({ status, checks: details });
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      const { status, details } = error.getResponse() as { status: string; details: object };
      // Terminus also learns that the process is stopping, perhaps while the checks run.
      throw httpErrors.notReady({ details: { checks: status === 'shutting_down' ? { process: STOPPING } : details } });
    }
  }

  private refuseWhenStopping(): void {
    if (this.stopping.hasBegun) throw httpErrors.notReady({ details: { checks: { process: STOPPING } } });
  }

  private async database(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('database');
    const answers = await inTime(this.orm.em.getConnection().execute('select 1'));
    return answers ? indicator.up() : indicator.down('does not answer');
  }

  private async migrations(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('migrations');
    const pending = await inTime(pendingMigrations(this.orm));
    if (!pending) return indicator.down('cannot be read');
    return pending.length === 0 ? indicator.up() : indicator.down(`${pending.length} not applied`);
  }

  private async storageIsUp(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('storage');
    const isUsable = await inTime(this.storage.check().then(() => true));
    // Most requests need no files, so the process goes on serving them.
    return isUsable ? indicator.up() : indicator.degraded('cannot be used');
  }

  private async redisIsUp(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('redis');
    return (await inTime(this.redis.ping())) ? indicator.up() : indicator.degraded('does not answer');
  }
}

/** Returns the result, or undefined if the work fails or takes too long. */
async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), CHECK_WITHIN_MS);
  });
  try {
    return await Promise.race([work, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
