import { raw } from '../../../platform/database/sql.js';

/** How long a process that says nothing more is believed to serve. */
export const LEASE = raw(`interval '6 seconds'`);
