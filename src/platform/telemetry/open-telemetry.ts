import type { OnApplicationShutdown } from '@nestjs/common';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import type { Settings } from '../config/settings.js';
import type { Log } from './log.js';
import type { MetricsRegistry } from './metrics.js';
import type { Export } from './otlp-export.js';

const NOT_SENT = 'Telemetry was not sent';

/**
 * Sends the traces and metrics of this process to the collector that `OTEL_EXPORTER_OTLP_ENDPOINT` names. Without one,
 * the SDK is not even loaded.
 */
export class OpenTelemetry implements OnApplicationShutdown {
  private constructor(
    private readonly log: Log,
    private readonly exporting?: Export,
  ) {}

  static async start(settings: Settings, metrics: MetricsRegistry, log: Log): Promise<OpenTelemetry> {
    if (settings.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return new OpenTelemetry(log);
    diag.setLogger(toDiagLogger(log), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
    const { startExport } = await import('./otlp-export.js');
    return new OpenTelemetry(log, startExport(settings, metrics));
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.exporting && !(await this.exporting.stop())) this.log.warn(NOT_SENT);
  }
}

/** The SDK reports that the collector does not answer. The service goes on without it. */
function toDiagLogger(log: Log) {
  const warn = (message: string) => log.warn({ telemetry: message }, NOT_SENT);
  const ignore = () => undefined;
  return { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
}
