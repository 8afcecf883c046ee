/**
 * In the `from` of a statement of its own: its commit does not wait for the disk. For what a crash of the database, and
 * nothing else, may take back.
 */
export const UNSYNCED = `(select set_config('synchronous_commit', 'off', true)) as unsynced`;
