import pg from 'pg';
import { type Settings, SettingsError } from '../config/settings.js';
import { missingLimits } from './missing-limits.js';
import { ANSWERS_WITHIN_MS, beginThroughPooler } from './pooling.js';

/**
 * Refuses to start behind a pooler if the role does not have the time limits, which a connection through the pooler
 * cannot set for itself. Without them, a statement could wait for a lock for ever.
 */
export async function checkRoleLimits({ DATABASE_URL, DATABASE_DIRECT_URL }: Settings): Promise<void> {
  if (DATABASE_DIRECT_URL === undefined) return;
  const client = new pg.Client({
    connectionString: DATABASE_URL,
    connectionTimeoutMillis: 5_000,
    query_timeout: ANSWERS_WITHIN_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await beginThroughPooler(client);
    const missing = await missingLimits(client);
    if (missing.length === 0) return;
    const { rows } = await client.query<{ name: string }>('select current_user as name');
    const role = pg.escapeIdentifier(rows[0]!.name);
    const commands = missing.map(([limit, ms]) => `ALTER ROLE ${role} SET ${limit} = ${ms};`).join(' ');
    throw new SettingsError([
      `DATABASE_URL leads to a pooler, so the role has to have the time limits. Run \`${commands}\` and reconnect the pooler.`,
    ]);
  } finally {
    await client.end().catch(() => undefined);
  }
}
