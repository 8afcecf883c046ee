import { type HrTime, ValueType } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValueWithName, Registry } from 'prom-client';
import { clock } from '../../kernel/clock.js';

type Metric = MetricObjectWithValues<MetricValueWithName<string>>;

/** Reads the metrics of Prometheus for OpenTelemetry, so that each metric is defined and counted once. */
export class PrometheusProducer implements MetricProducer {
  private readonly begun = millisToHrTime(clock.now().getTime());

  constructor(private readonly registry: Registry) {}

  async collect(): Promise<CollectionResult> {
    const found = (await this.registry.getMetricsAsJSON()) as unknown as Metric[];
    const now = millisToHrTime(clock.now().getTime());
    const metrics = found.map((metric) => toMetricData(metric, { startTime: this.begun, endTime: now }));
    return { resourceMetrics: { resource: emptyResource(), scopeMetrics: [{ scope: SCOPE, metrics }] }, errors: [] };
  }
}

const SCOPE = { name: 'slipway' };

interface Times {
  startTime: HrTime;
  endTime: HrTime;
}

function toMetricData(metric: Metric, times: Times): MetricData {
  const unit = metric.name.endsWith('_seconds') ? 's' : metric.name.endsWith('_bytes') ? 'By' : '';
  const base = {
    descriptor: { name: metric.name, description: metric.help, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (isOfType(metric, 'histogram'))
    return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramPoints(metric.values, times) };
  const dataPoints = metric.values.map(({ value, labels }) => ({ ...times, attributes: labels, value }));
  if (isOfType(metric, 'counter')) return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
  return { ...base, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** The JSON of prom-client names the type, although its declarations say that it is a number. */
const isOfType = ({ type }: Metric, name: string) => String(type) === name;

/** Prometheus counts each bucket together with all smaller ones, and OpenTelemetry each bucket alone. */
function histogramPoints(values: Metric['values'], times: Times): DataPoint<Histogram>[] {
  const series = new Map<string, Metric['values']>();
  for (const value of values) {
    const { le: _, ...labels } = value.labels;
    const key = JSON.stringify(labels);
    const others = series.get(key);
    if (others) others.push(value);
    else series.set(key, [value]);
  }
  return [...series].map(([key, ofSeries]) => {
    const buckets = ofSeries.filter(({ labels }) => labels['le'] !== undefined);
    const valueOf = (suffix: string) => ofSeries.find(({ metricName }) => metricName?.endsWith(suffix))?.value ?? 0;
    return {
      ...times,
      attributes: JSON.parse(key) as Record<string, string>,
      value: {
        buckets: {
          boundaries: buckets.slice(0, -1).map(({ labels }) => Number(labels['le'])),
          counts: buckets.map(({ value }, at) => value - (buckets[at - 1]?.value ?? 0)),
        },
        sum: valueOf('_sum'),
        count: valueOf('_count'),
      },
    };
  });
}
