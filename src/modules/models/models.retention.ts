import { oldRows } from '../../platform/retention/old-rows.js';
import { defineRetention } from '../../platform/retention/retention-rule.js';

/** Those of processes that died; others take theirs along. What a host served goes with it. */
export const hostRetention = defineRetention({
  name: 'model-hosts',
  holds: 'Hosts of models that are no more',
  keep: { hours: 1 },
  sweep: { ...oldRows({ table: 'model_host', time: 'lease_until' }), tables: ['model_host', 'model_replica'] },
});
