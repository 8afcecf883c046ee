import { Inject, Injectable } from '@nestjs/common';
import { clock } from '../../../kernel/clock.js';
import { timeOfId } from '../../../kernel/ids.js';
import { Statements } from '../../../platform/database/statements.js';
import { WORKER_STATEMENTS } from '../../../platform/queue/worker-statements.js';
import { InstallationGauges, toStates } from '../../../platform/redis/installation-gauges.js';
import { defineGauge, defineHistogram } from '../../../platform/telemetry/metric-definition.js';
import { Metrics } from '../../../platform/telemetry/metrics.js';
import { SubscriptionRepository } from '../subscriptions/subscription.repository.js';
import type { DeliveryRow } from './delivery.entity.js';

const answered = defineHistogram('slipway_message_to_callback_seconds', {
  help: 'Seconds from the acceptance of a message until its receiver has accepted the answer, in this process.',
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600],
});
const subscriptionsGauge = defineGauge('slipway_webhook_subscriptions', {
  help: 'Webhook subscriptions of the whole installation by state: active, paused after failures, or disabled.',
  labels: ['state'],
});

/** Measures what users of the channel notice: how late answers are, and how many receivers get none. */
@Injectable()
export class CallbackMetrics {
  constructor(
    private readonly metrics: Metrics,
    gauges: InstallationGauges,
    // Requests do not use these connections, so that a scrape does not wait while requests wait for theirs.
    @Inject(WORKER_STATEMENTS) statements: Statements,
    subscriptions: SubscriptionRepository,
  ) {
    gauges.register(subscriptionsGauge, () => statements.ask(subscriptions.countByState().as(toStates)));
  }

  /** Counts a callback that its receiver has accepted. */
  delivered({ event, messageId }: DeliveryRow): void {
    if (event !== 'agent.response' || messageId === null) return;
    this.metrics.observe(answered, (clock.now().getTime() - timeOfId(messageId).getTime()) / 1_000);
  }
}
