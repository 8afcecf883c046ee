import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { Settings } from '../config/settings.js';
import type { MetricsRegistry } from './metrics.js';
import { PrometheusProducer } from './prometheus-producer.js';
import { setTracing } from './tracing.js';

/** The time that a stopping process gives the collector to take what is left. */
const STOP_WITHIN_MS = 3_000;

export interface Export {
  /** Sends what is left, and returns whether the collector has taken it in time. */
  stop: () => Promise<boolean>;
}

/** Starts to send spans in batches, and all metrics every minute. */
export function startExport(settings: Settings, metrics: MetricsRegistry): Export {
  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT!.replace(/\/$/, '');
  const headers = settings.OTEL_EXPORTER_OTLP_HEADERS ?? {};
  const resource = resourceOf(settings);
  const spans = new BasicTracerProvider({
    resource,
    sampler: samplerOf(settings.OTEL_TRACES_SAMPLER_ARG),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers }))],
  });
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: `${endpoint}/v1/metrics`, headers }),
    metricProducers: [new PrometheusProducer(metrics)],
  });
  const meters = new MeterProvider({ resource, readers: [reader] });
  trace.setGlobalTracerProvider(spans);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  setTracing(true);

  const stop = async () => {
    const late = wait(STOP_WITHIN_MS, false, { ref: false });
    const sent = Promise.all([spans.shutdown(), meters.shutdown()]).then(() => true);
    return Promise.race([sent, late]).catch(() => false);
  };
  return { stop };
}

function resourceOf({ OTEL_SERVICE_NAME, SLIPWAY_ROLE }: Settings) {
  const ours = resourceFromAttributes({
    'service.name': OTEL_SERVICE_NAME,
    'service.instance.id': `${hostname()}:${process.pid}`,
    'slipway.role': SLIPWAY_ROLE,
  });
  return defaultResource()
    .merge(detectResources({ detectors: [envDetector] }))
    .merge(ours);
}

/**
 * A trace is recorded as a whole or not at all. Callers may leave a trace out, but they cannot cause more traces to be
 * recorded than the share that the setting allows.
 */
function samplerOf(share: number): ParentBasedSampler {
  const ofShare = new TraceIdRatioBasedSampler(share);
  return new ParentBasedSampler({ root: ofShare, remoteParentSampled: ofShare });
}
