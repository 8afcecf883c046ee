import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { Log } from './log.js';
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

type LabelledValue<Label extends string> = readonly [labels: Record<Label, string>, value: number];

/** Values with their labels, or the one value of a gauge without labels. An empty list means that there is none. */
export type MetricValues<Label extends string> = [Label] extends [never]
  ? number | readonly []
  : readonly LabelledValue<Label>[];

type AnyValues = number | readonly LabelledValue<string>[];
type Read = () => AnyValues | Promise<AnyValues>;

/** Takes the values of the metrics that modules define, for this process. */
@Injectable()
export class Metrics {
  private readonly counters = new Map<MetricDefinition, Counter>();
  private readonly gauges = new Map<MetricDefinition, Gauge>();
  private readonly histograms = new Map<MetricDefinition, Histogram>();
  private readonly reads = new Map<MetricDefinition, Read>();
  /** The gauges whose last reading failed, which is logged once. */
  private readonly failing = new Set<MetricDefinition>();

  constructor(
    registry: MetricsRegistry,
    private readonly log: Log,
  ) {
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
   * Reads the values of a gauge each time that the metrics are read. A reading that fails, or takes longer than a second
   * and a half, is logged and leaves the gauge without values.
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
    const gauge = this.gauges.get(definition)!;
    try {
      const values = await Promise.race([read(), wait(WITHIN_MS, undefined, { ref: false })]);
      if (values === undefined) throw new Error(`The reading took longer than ${WITHIN_MS} ms`);
      setValues(gauge, definition, values);
      this.failing.delete(definition);
    } catch (err) {
      clear(gauge, definition);
      if (!this.failing.has(definition)) this.log.warn({ err }, `The metric ${definition.name} could not be read`);
      this.failing.add(definition);
    }
  }
}

function setValues(gauge: Gauge, definition: MetricDefinition, values: AnyValues): void {
  clear(gauge, definition);
  if (isList(values)) for (const [labels, value] of values) gauge.set(labels, value);
  else gauge.set(values);
}

function clear(gauge: Gauge, { labels }: MetricDefinition): void {
  gauge.reset();
  // Without labels, a gauge has the value 0 after that.
  if (labels.length === 0) gauge.remove();
}

function isList(values: AnyValues): values is readonly LabelledValue<string>[] {
  return Array.isArray(values);
}
