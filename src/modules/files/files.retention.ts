import { oldRows } from '../../platform/retention/old-rows.js';
import { defineRetention } from '../../platform/retention/retention-rule.js';

/** The time counts from the expiry of an upload. An upload that still has chunks stays until they are released. */
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
