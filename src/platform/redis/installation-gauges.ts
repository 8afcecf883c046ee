import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Settings } from '../config/settings.js';
import { Metrics } from '../telemetry/metrics.js';
import { REDIS, type RedisClient } from './redis-client.js';

/** Prometheus drops a scrape that takes too long, with all its metrics. */
const WITHIN_MS = 1_500;

export type Counted<Label extends string> = readonly (readonly [labels: Record<Label, string>, value: number])[];

interface InstallationGauge<Label extends string> {
  name: string;
  help: string;
  labelNames: readonly Label[];
  /** Counts in the database, for the whole installation. */
  count: () => Promise<Counted<Label>>;
}

/** The gauges whose values are the same in every process, because they are counted in the database. */
@Injectable()
export class InstallationGauges {
  constructor(
    private readonly metrics: Metrics,
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly settings: Settings,
  ) {}

  /**
   * Registers a gauge that is counted when it is scraped. If neither Redis nor the database answers in time, the gauge
   * has no values, and the other metrics are still collected.
   */
  register<Label extends string>({ count, ...options }: InstallationGauge<Label>): void {
    const counted = () => this.shared(options.name, count).catch(() => []);
    const gauge: Gauge<Label> = new Gauge({
      ...options,
      registers: [this.metrics],
      async collect() {
        const values = await Promise.race([counted(), wait(WITHIN_MS, [], { ref: false })]);
        gauge.reset();
        for (const [labels, value] of values) gauge.set(labels, value);
      },
    });
  }

  /** Returns what another process counted a moment ago, because a hundred processes would repeat the same work. */
  private async shared<Label extends string>(
    name: string,
    count: () => Promise<Counted<Label>>,
  ): Promise<Counted<Label>> {
    const seconds = this.settings.METRICS_COUNT_SECONDS;
    if (seconds === 0) return count();
    const key = `${this.settings.REDIS_PREFIX}:count:${name}`;
    const known = await this.redis.get(key).catch(() => null);
    if (known !== null) return JSON.parse(known) as Counted<Label>;
    const counted = await count();
    void this.redis.set(key, JSON.stringify(counted), 'EX', seconds).catch(() => undefined);
    return counted;
  }
}

/** Makes one sample of each member, labelled with its name. */
export function toStates(counts: object): Counted<'state'> {
  return Object.entries(counts).map(([state, count]: [string, number]) => [{ state }, count]);
}
