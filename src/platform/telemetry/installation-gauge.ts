import { setTimeout as wait } from 'node:timers/promises';
import { Gauge } from 'prom-client';
import type { Metrics } from './metrics.js';

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

/**
 * Registers a gauge that is counted in the database at each scrape. If the database does not answer in time, the gauge
 * has no values, and the other metrics are still collected.
 */
export function registerInstallationGauge<Label extends string>(
  metrics: Metrics,
  { count, ...options }: InstallationGauge<Label>,
): void {
  const gauge: Gauge<Label> = new Gauge({
    ...options,
    registers: [metrics],
    async collect() {
      const counted = await Promise.race([count().catch(() => []), wait(WITHIN_MS, [], { ref: false })]);
      gauge.reset();
      for (const [labels, value] of counted) gauge.set(labels, value);
    },
  });
}

/** Makes one sample of each member, labelled with its name. */
export function toStates(counts: object): Counted<'state'> {
  return Object.entries(counts).map(([state, count]: [string, number]) => [{ state }, count]);
}
