import { Injectable } from '@nestjs/common';
import { defineCounter } from '../../platform/telemetry/metric-definition.js';
import { Metrics } from '../../platform/telemetry/metrics.js';
import type { Observed } from '../traces/observing.service.js';

const calls = defineCounter('slipway_model_calls_total', {
  help: 'Calls of models that ended in this process.',
  labels: ['provider', 'status'],
});
const tokens = defineCounter('slipway_model_tokens_total', {
  help: 'Tokens of the calls of models that ended in this process.',
  labels: ['provider', 'direction'],
});
const costs = defineCounter('slipway_model_cost_total', {
  help: 'Cost of the calls of models that ended in this process, in the currency of the prices.',
  labels: ['provider'],
});

/** Counts the calls of models that this process made, with their tokens and their cost. */
@Injectable()
export class GatewayMetrics {
  constructor(private readonly metrics: Metrics) {}

  count(observed: readonly Observed[]): void {
    for (const { status, generation } of observed) {
      if (!generation) continue;
      const { provider, inputTokens, outputTokens, cost } = generation;
      this.metrics.count(calls, 1, { provider, status });
      this.metrics.count(tokens, inputTokens, { provider, direction: 'input' });
      this.metrics.count(tokens, outputTokens, { provider, direction: 'output' });
      this.metrics.count(costs, cost, { provider });
    }
  }
}
