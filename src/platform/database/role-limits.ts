import pg from 'pg';
import { type Settings, SettingsError } from '../config/settings.js';
import { missingLimits } from './missing-limits.js';
import { ANSWERS_WITHIN_MS, beginThroughPooler, refusePoolerOfReads } from './pooling.js';

/**
 * Refuses to start behind a pooler if the role does not have the time limits, which a connection through the pooler
 * cannot set for itself. Without them, a statement could wait for a lock for ever.
 */
export async function checkRoleLimits({ DATABASE_URL, DATABASE_DIRECT_URL }: Settings): Promise<void> {
  if (DATABASE_DIRECT_URL === undefined) return;
  await connected(DATABASE_URL, async (client) => {
    await beginThroughPooler(client, 'DATABASE_URL');
    const commands = await missingCommands(client);
    if (commands === undefined) return;
    throw new SettingsError([
      `DATABASE_URL leads to a pooler, so the role has to have the time limits. Run \`${commands}\` and reconnect the pooler.`,
    ]);
  });
}

/**
 * Refuses to start if the connections for reads lead to a pooler that they cannot use. A replica that is away is left
 * out, because the primary answers its reads meanwhile.
 */
export async function checkReadUrl({ DATABASE_READ_URL, DATABASE_DIRECT_URL }: Settings): Promise<void> {
  if (DATABASE_READ_URL === undefined) return;
  const check = connected(DATABASE_READ_URL, async (client) => {
    if (DATABASE_DIRECT_URL === undefined) return refusePoolerOfReads(client, DATABASE_READ_URL);
    await beginThroughPooler(client, 'DATABASE_READ_URL');
    const commands = await missingCommands(client);
    if (commands === undefined) return;
    throw new SettingsError([
      `With DATABASE_DIRECT_URL, the role in DATABASE_READ_URL has to have the time limits. Run \`${commands}\` on the primary, and reconnect the pooler when the replica has them.`,
    ]);
  });
  await check.catch((error: unknown) => {
    if (error instanceof SettingsError) throw error;
  });
}

/** Returns the commands that give the role the limits that a connection of the pooler lacks. */
async function missingCommands(client: pg.Client): Promise<string | undefined> {
  const missing = await missingLimits(client);
  if (missing.length === 0) return undefined;
  const { rows } = await client.query<{ name: string }>('select current_user as name');
  const role = pg.escapeIdentifier(rows[0]!.name);
  return missing.map(([limit, ms]) => `ALTER ROLE ${role} SET ${limit} = ${ms};`).join(' ');
}

async function connected(connectionString: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000, query_timeout: ANSWERS_WITHIN_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
