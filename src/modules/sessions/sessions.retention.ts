import { oldRows } from '../../platform/retention/old-rows.js';
import { defineRetention } from '../../platform/retention/retention-rule.js';

const sessions = oldRows({
  table: 'session',
  time: 'ended_at',
  project: 'project_id',
  where: 'ended_at is not null',
});

/** Runs and attachments are deleted together with their session, and triggers subtract it from the sums of sessions. */
export const sessionRetention = defineRetention({
  name: 'sessions',
  holds: 'Ended sessions',
  keep: { days: 90 },
  perProject: { minDays: 1, maxDays: 3650 },
  sweep: { ...sessions, tables: ['session', 'session_memory', 'session_attachment', 'run', 'session_count'] },
});

export const userRetention = defineRetention({
  name: 'users',
  holds: 'Users without a session',
  keep: { days: 400 },
  sweep: oldRows({
    table: 'app_user',
    time: 'last_seen_at',
    where: 'not exists (select from session where session.user_id = app_user.id)',
  }),
});

export const erasureRetention = defineRetention({
  name: 'erasures',
  holds: 'Reports of erased users',
  keep: { days: 400 },
  sweep: oldRows({ table: 'user_erasure', time: 'finished_at', where: 'finished_at is not null' }),
});
