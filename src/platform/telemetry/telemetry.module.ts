import { Global, Module } from '@nestjs/common';
import { pino } from 'pino';
import { Settings } from '../config/settings.js';
import { createLog, createRequestLog, Log, RequestLog } from './log.js';
import { Metrics, MetricsRegistry } from './metrics.js';
import { OpenTelemetry } from './open-telemetry.js';

const output = pino.destination({ dest: 1, sync: true });

@Global()
@Module({
  providers: [
    Metrics,
    MetricsRegistry,
    { provide: Log, useFactory: ({ LOG_LEVEL }: Settings) => createLog(LOG_LEVEL, output), inject: [Settings] },
    {
      provide: RequestLog,
      useFactory: ({ LOG_LEVEL }: Settings) => createRequestLog(LOG_LEVEL, output),
      inject: [Settings],
    },
    {
      provide: OpenTelemetry,
      useFactory: (...given: Parameters<typeof OpenTelemetry.start>) => OpenTelemetry.start(...given),
      inject: [Settings, MetricsRegistry, Log],
    },
  ],
  exports: [Log, Metrics, MetricsRegistry, RequestLog],
})
export class TelemetryModule {}
