import { oldRows } from '../../platform/retention/old-rows.js';
import { defineRetention } from '../../platform/retention/retention-rule.js';

export const consoleSessionRetention = defineRetention({
  name: 'console-sessions',
  holds: 'Sign-ins to the console that have ended',
  keep: { days: 1 },
  sweep: oldRows({ table: 'console_session', time: 'expires_at' }),
});
