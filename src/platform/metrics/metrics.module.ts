import { Module } from '@nestjs/common';
import { MetricsController } from './metrics.controller.js';
import { ProcessMetrics } from './process-metrics.js';

/** Answers Prometheus. What it reads, the parts of the house put into `Metrics`. */
@Module({ controllers: [MetricsController], providers: [ProcessMetrics] })
export class MetricsModule {}
