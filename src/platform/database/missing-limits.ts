import type pg from 'pg';
import { SERVER_LIMITS } from './orm-options.js';

/** Returns the time limits that a connection lacks, in milliseconds. Without them, a statement could wait for ever. */
export async function missingLimits(client: pg.Client): Promise<[limit: string, milliseconds: number][]> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    'select name, setting from pg_settings where name = any($1)',
    [Object.keys(SERVER_LIMITS)],
  );
  return Object.entries(SERVER_LIMITS).filter(([limit, ms]) =>
    rows.some(({ name, setting }) => name === limit && Number(setting) !== ms),
  );
}
