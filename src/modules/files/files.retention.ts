import { oldRows } from '../../platform/retention/old-rows.js';
import { defineRetention } from '../../platform/retention/retention-rule.js';

/** Counted from when they expire. One that still holds chunks stays until these are let go. */
export const uploadRetention = defineRetention({
  name: 'uploads',
  holds: 'Finished uploads in chunks',
  keep: { days: 7 },
  sweep: oldRows({
    table: 'upload_session',
    time: 'expires_at',
    where: '(file_id is not null or reserved_bytes = 0)',
  }),
});
