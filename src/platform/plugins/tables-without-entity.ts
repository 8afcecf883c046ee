/**
 * Slipway's tables without an entity, each with a sentence that says what it is for. Plugins cannot have tables of
 * these names.
 */
export const TABLES_WITHOUT_ENTITY: Readonly<Record<string, string>> = {
  ledger_dim: 'The combinations of filter values that calls have, each once, under a hash.',
  ledger_expiry: 'The time before which the payloads of a project are gone.',
  ledger_key: 'The ids of calls, unique across the partitions of ledger_row.',
  ledger_rollup: 'Sums of calls by hour and by day.',
  migration: 'The migrations that have run, which MikroORM keeps.',
  session_count: 'Sums of sessions by the ten minutes in which they began.',
  session_counting: 'One row: the time until which session_count holds.',
  storage_place: 'One row: the storage that all processes of an installation share.',
  unkept_object: 'Objects in the storage that nothing refers to, until they are deleted.',
  used_token: 'Digests of tokens that were used, so that none is used twice.',
};
