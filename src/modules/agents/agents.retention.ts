import { oldRows } from '../../platform/retention/old-rows.js';
import { defineRetention } from '../../platform/retention/retention-rule.js';

export const activationRetention = defineRetention({
  name: 'agent-activations',
  holds: 'What was active in environments',
  keep: { days: 400 },
  sweep: oldRows({ table: 'agent_activation', time: 'ended_at', where: 'ended_at is not null' }),
});
