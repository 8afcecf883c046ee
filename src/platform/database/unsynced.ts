import { raw } from './sql.js';

/**
 * In the `from` of a statement of its own: its commit does not wait for the disk. For what a crash of the database, and
 * nothing else, may take back.
 */
export const UNSYNCED = raw(`(select set_config('synchronous_commit', 'off', true)) as unsynced`);
