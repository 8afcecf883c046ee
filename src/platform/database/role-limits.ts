import pg from 'pg';
import { type Settings, SettingsError } from '../config/settings.js';
import { SERVER_LIMITS } from './orm-options.js';
import { beginThroughPooler } from './pooling.js';

interface Found {
  role: string;
  name: string;
  /** In milliseconds. */
  setting: string;
}

/**
 * Refuses to start behind a pooler if the role does not have the time limits, which a connection through the pooler
 * cannot set for itself. Without them, a statement could wait for a lock for ever.
 */
export async function checkRoleLimits({ DATABASE_URL, DATABASE_DIRECT_URL }: Settings): Promise<void> {
  if (DATABASE_DIRECT_URL === undefined) return;
  const client = new pg.Client({ connectionString: DATABASE_URL, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await beginThroughPooler(client);
    const { rows } = await client.query<Found>(
      'select current_user as role, name, setting from pg_settings where name = any($1)',
      [Object.keys(SERVER_LIMITS)],
    );
    const wrong = Object.entries(SERVER_LIMITS).filter(([limit, ms]) =>
      rows.some(({ name, setting }) => name === limit && Number(setting) !== ms),
    );
    if (wrong.length === 0) return;
    const role = pg.escapeIdentifier(rows[0]!.role);
    const commands = wrong.map(([limit, ms]) => `ALTER ROLE ${role} SET ${limit} = ${ms};`).join(' ');
    throw new SettingsError([
      `DATABASE_URL leads to a pooler, so the role has to have the time limits. Run \`${commands}\` and reconnect the pooler.`,
    ]);
  } finally {
    await client.end().catch(() => undefined);
  }
}
