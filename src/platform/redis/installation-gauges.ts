import { Inject, Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import type { GaugeDefinition } from '../telemetry/metric-definition.js';
import { Metrics, type MetricValues } from '../telemetry/metrics.js';
import { REDIS, type RedisClient } from './redis-client.js';

/** The gauges whose values are the same in every process, because they are counted in the database. */
@Injectable()
export class InstallationGauges {
  constructor(
    private readonly metrics: Metrics,
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly settings: Settings,
  ) {}

  /** Lets a gauge be counted in the database, for the whole installation, when the metrics are read. */
  register<Label extends string>(gauge: GaugeDefinition<Label>, count: () => Promise<MetricValues<Label>>): void {
    this.metrics.read(gauge, () => this.shared(gauge.name, count));
  }

  /** Returns what another process counted a moment ago, because a hundred processes would repeat the same work. */
  private async shared<Label extends string>(
    name: string,
    count: () => Promise<MetricValues<Label>>,
  ): Promise<MetricValues<Label>> {
    const seconds = this.settings.METRICS_COUNT_SECONDS;
    if (seconds === 0) return count();
    const key = `${this.settings.REDIS_PREFIX}:count:${name}`;
    const known = await this.redis.get(key).catch(() => null);
    if (known !== null) return JSON.parse(known) as MetricValues<Label>;
    const counted = await count();
    void this.redis.set(key, JSON.stringify(counted), 'EX', seconds).catch(() => undefined);
    return counted;
  }
}

/** Makes one sample of each member, labelled with its name. */
export function toStates(counts: object): MetricValues<'state'> {
  return Object.entries(counts).map(([state, count]: [string, number]) => [{ state }, count]);
}
