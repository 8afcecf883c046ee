import { z } from 'zod';
import { headerList } from './setting-types.js';

/** The settings of OpenTelemetry, under the names that its specification gives them. */
export const telemetrySettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
    .optional()
    .describe(
      'Address of a collector of OpenTelemetry (OTLP over HTTP), such as `http://collector:4318`. Each process sends it its traces and metrics. If it is not set, there are none.',
    ),
  OTEL_EXPORTER_OTLP_HEADERS: headerList
    .optional()
    .describe('Headers for the collector, such as `authorization=Bearer …`, separated by commas.'),
  OTEL_SERVICE_NAME: z.string().min(1).default('slipway').describe('Name of the service in its traces and metrics.'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Share of the traces that are recorded, from 0 to 1. A trace is recorded as a whole or not at all.'),
};
