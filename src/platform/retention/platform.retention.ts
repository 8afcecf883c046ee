import { KEPT_HOURS } from '../idempotency/idempotency-key.repository.js';
import { oldRows } from './old-rows.js';
import { defineRetention } from './retention-rule.js';

/** The tables of the platform itself. A module declares its own in `<module>.retention.ts`. */

defineRetention({
  name: 'audit',
  holds: 'Audit entries',
  keep: { days: 400 },
  perProject: { minDays: 30, maxDays: 3650 },
  sweep: oldRows({ table: 'audit_entry', time: 'at', project: 'project_id' }),
});

defineRetention({
  name: 'idempotency-keys',
  holds: 'Answers to requests with an idempotency key',
  keep: { hours: KEPT_HOURS },
  sweep: oldRows({ table: 'idempotency_key', time: 'created_at' }),
});

defineRetention({
  name: 'jobs',
  holds: 'Finished jobs except successful turns and callbacks',
  keep: { days: 7 },
  sweep: oldRows({ table: 'job', time: 'finished_at', where: `state in ('done', 'failed')` }),
});

/** A process that stops deletes its own row. */
defineRetention({
  name: 'processes',
  holds: 'Processes of the service that have died',
  keep: { hours: 24 },
  sweep: oldRows({ table: 'service_process', time: 'seen_at' }),
});
