import { oldRows } from '../../platform/retention/old-rows.js';
import { defineRetention } from '../../platform/retention/retention-rule.js';

export const dockJobRetention = defineRetention({
  name: 'dock-jobs',
  holds: 'Finished dock jobs',
  keep: { days: 180 },
  sweep: oldRows({ table: 'dock_job', time: 'finished_at' }),
});
