import { oldRows } from '../../platform/retention/old-rows.js';
import { defineRetention } from '../../platform/retention/retention-rule.js';

/** Deletes the rows of processes that died; a process that stops deletes its own. Their replicas are deleted with them. */
export const hostRetention = defineRetention({
  name: 'model-hosts',
  holds: 'Model hosts that have stopped',
  keep: { hours: 1 },
  sweep: { ...oldRows({ table: 'model_host', time: 'lease_until' }), tables: ['model_host', 'model_replica'] },
});
