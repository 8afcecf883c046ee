import { oldRows } from '../../platform/retention/old-rows.js';
import { defineRetention } from '../../platform/retention/retention-rule.js';

/**
 * Older spans are refused. The ledger keeps calls longer than this, so it never refuses the call of an accepted span.
 */
export const MAX_KEPT_DAYS = 365;

const ofTable = (table: string) => oldRows({ table, time: 'started_at', project: 'project_id' });
const sweeps = [ofTable('observation'), ofTable('trace')];

export const traceRetention = defineRetention({
  name: 'traces',
  holds: 'Traces and their observations',
  keep: { days: 30 },
  perProject: { minDays: 1, maxDays: MAX_KEPT_DAYS },
  sweep: {
    tables: sweeps.flatMap(({ tables }) => tables),
    run: async (context) => {
      let removed = 0;
      for (const sweep of sweeps) removed += await sweep.run(context);
      return removed;
    },
  },
});
