import { oldRows } from '../../platform/retention/old-rows.js';
import { defineRetention } from '../../platform/retention/retention-rule.js';

const runs = oldRows({ table: 'tool_run', time: 'ended_at', project: 'project_id' });

/** Steps and suspensions are deleted together with their runs. */
export const toolRunRetention = defineRetention({
  name: 'tool-runs',
  holds: 'Finished tool runs',
  keep: { days: 30 },
  perProject: { minDays: 1, maxDays: 400 },
  sweep: { ...runs, tables: [...runs.tables, 'tool_run_step', 'tool_suspension'] },
});
