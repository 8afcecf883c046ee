import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  type CounterDefinition,
  type GaugeDefinition,
  type HistogramDefinition,
  type MetricDefinition,
  metricDefinitions,
} from './metric-definition.js';

/** Prometheus drops a scrape that takes too long, with all its metrics. */
const WITHIN_MS = 1_500;

/** The registry that Prometheus and OpenTelemetry read. */
@Injectable()
export class MetricsRegistry extends Registry {}

/** The values of the labels, for metrics that have some. */
export type MetricLabels<Label extends string> = [Label] extends [never] ? [] : [labels: Record<Label, string>];

/** Values with their labels, or the one value of a gauge without labels. */
export type MetricValues<Label extends string> =
  number | readonly (readonly [labels: Record<Label, string>, value: number])[];

type Read = () => MetricValues<string> | Promise<MetricValues<string>>;

/** Takes the values of the metrics that modules define, for this process. */
@Injectable()
export class Metrics {
  private readonly counters = new Map<MetricDefinition, Counter>();
  private readonly gauges = new Map<MetricDefinition, Gauge>();
  private readonly histograms = new Map<MetricDefinition, Histogram>();
  private readonly reads = new Map<MetricDefinition, Read>();

  constructor(registry: MetricsRegistry) {
    const registers = [registry];
    for (const definition of metricDefinitions()) {
      const { kind, name, help, labels: labelNames, buckets = [] } = definition;
      const options = { name, help, labelNames, registers };
      if (kind === 'counter') this.counters.set(definition, new Counter(options));
      if (kind === 'gauge')
        this.gauges.set(definition, new Gauge({ ...options, collect: () => this.collect(definition) }));
      if (kind === 'histogram') this.histograms.set(definition, new Histogram({ ...options, buckets: [...buckets] }));
    }
  }

  /** Adds to a counter. */
  count<Label extends string>(counter: CounterDefinition<Label>, by: number, ...[labels]: MetricLabels<Label>): void {
    this.counters.get(counter)!.inc(labels ?? {}, by);
  }

  /** Adds a measured value to a histogram. */
  observe<Label extends string>(
    histogram: HistogramDefinition<Label>,
    value: number,
    ...[labels]: MetricLabels<Label>
  ): void {
    this.histograms.get(histogram)!.observe(labels ?? {}, value);
  }

  /** Adds to a gauge, or takes from it what is less than zero. */
  add<Label extends string>(gauge: GaugeDefinition<Label>, by: number, ...[labels]: MetricLabels<Label>): void {
    this.gauges.get(gauge)!.inc(labels ?? {}, by);
  }

  /**
   * Reads the values of a gauge each time that the metrics are read. An empty list means that it has none, as if the
   * reading failed or took longer than a second and a half.
   */
  read<Label extends string>(
    gauge: GaugeDefinition<Label>,
    read: () => MetricValues<Label> | Promise<MetricValues<Label>>,
  ): void {
    this.reads.set(gauge, read);
  }

  private async collect(definition: MetricDefinition): Promise<void> {
    const read = this.reads.get(definition);
    if (!read) return;
    const values = await Promise.race([valuesOf(read), wait(WITHIN_MS, [], { ref: false })]);
    const gauge = this.gauges.get(definition)!;
    gauge.reset();
    if (typeof values === 'number') gauge.set(values);
    else if (definition.labels.length === 0) gauge.remove();
    else for (const [labels, value] of values) gauge.set(labels, value);
  }
}

async function valuesOf(read: Read): Promise<MetricValues<string>> {
  try {
    return await read();
  } catch {
    return [];
  }
}
