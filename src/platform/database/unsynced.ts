import { raw } from './sql.js';

/**
 * Makes the commit of a statement that is a transaction of its own return without waiting for the disk, if it is in the
 * statement's `from`. It is only for changes that may be lost if the database crashes.
 */
export const UNSYNCED = raw(`(select set_config('synchronous_commit', 'off', true)) as unsynced`);
