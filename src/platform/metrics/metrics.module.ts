import { Module } from '@nestjs/common';
import { MetricsController } from './metrics.controller.js';
import { ProcessMetrics } from './process-metrics.js';

/** Answers Prometheus with what the other parts register in `Metrics`. */
@Module({ controllers: [MetricsController], providers: [ProcessMetrics] })
export class MetricsModule {}
