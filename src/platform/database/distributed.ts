import type pg from 'pg';
import { type Settings, SettingsError } from '../config/settings.js';

/**
 * Refuses to start on tables that Citus has distributed unless statements are sent as through a pooler, because Citus
 * cannot plan most of them for all values.
 */
export async function refuseDistributedWithoutDirectUrl(client: pg.Client, settings: Settings): Promise<void> {
  if (settings.DATABASE_DIRECT_URL !== undefined || !(await isDistributed(client))) return;
  throw new SettingsError([
    'DATABASE_URL leads to a database that Citus distributes, so DATABASE_DIRECT_URL is needed too. Set it to the address of the coordinator.',
  ]);
}

async function isDistributed(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query("select from pg_extension where extname = 'citus'");
  if (!rowCount) return false;
  const { rows } = await client.query<{ found: boolean }>(
    "select exists (select from pg_dist_partition where partmethod = 'h') as found",
  );
  return rows[0]!.found;
}
