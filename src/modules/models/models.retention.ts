import { oldRows } from '../../platform/retention/old-rows.js';
import { defineRetention } from '../../platform/retention/retention-rule.js';

/** Those of processes that died; others take theirs along. What a host served goes with it. */
export const hostRetention = defineRetention({
  name: 'model-hosts',
  holds: 'Model hosts that have stopped',
  keep: { hours: 1 },
  sweep: { ...oldRows({ table: 'model_host', time: 'lease_until' }), tables: ['model_host', 'model_replica'] },
});
