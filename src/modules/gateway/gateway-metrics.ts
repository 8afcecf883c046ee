import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Metrics } from '../../platform/telemetry/metrics.js';
import type { Observed } from '../traces/observing.service.js';

/** Counts the calls of models that this process made, with their tokens and their cost. */
@Injectable()
export class GatewayMetrics {
  private readonly calls: Counter<'provider' | 'status'>;
  private readonly tokens: Counter<'provider' | 'direction'>;
  private readonly cost: Counter<'provider'>;

  constructor(metrics: Metrics) {
    const registers = [metrics];
    this.calls = new Counter({
      name: 'slipway_model_calls_total',
      help: 'Calls of models that ended in this process.',
      labelNames: ['provider', 'status'],
      registers,
    });
    this.tokens = new Counter({
      name: 'slipway_model_tokens_total',
      help: 'Tokens of the calls of models that ended in this process.',
      labelNames: ['provider', 'direction'],
      registers,
    });
    this.cost = new Counter({
      name: 'slipway_model_cost_total',
      help: 'Cost of the calls of models that ended in this process, in the currency of the prices.',
      labelNames: ['provider'],
      registers,
    });
  }

  count(observed: readonly Observed[]): void {
    for (const { status, generation } of observed) {
      if (!generation) continue;
      const { provider, inputTokens, outputTokens, cost } = generation;
      this.calls.inc({ provider, status });
      this.tokens.inc({ provider, direction: 'input' }, inputTokens);
      this.tokens.inc({ provider, direction: 'output' }, outputTokens);
      this.cost.inc({ provider }, cost);
    }
  }
}
