import { oldRows } from '../../platform/retention/old-rows.js';
import { defineRetention } from '../../platform/retention/retention-rule.js';

const messages = oldRows({
  table: 'webhook_message',
  time: 'finished_at',
  project: 'project_id',
  where: 'finished_at is not null',
});
const deliveries = oldRows({
  table: 'webhook_delivery',
  time: 'ended_at',
  project: 'project_id',
  where: 'ended_at is not null',
});

/** The time counts from the end of a message or delivery. Attempts are deleted with their delivery. */
export const deliveryRetention = defineRetention({
  name: 'deliveries',
  holds: 'Messages of the webhook channel and their deliveries',
  keep: { days: 30 },
  perProject: { minDays: 1, maxDays: 365 },
  sweep: {
    tables: [...messages.tables, ...deliveries.tables, 'webhook_attempt'],
    run: async (context) => (await messages.run(context)) + (await deliveries.run(context)),
  },
});
