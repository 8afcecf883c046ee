import pg from 'pg';

/**
 * Returns whether a database is on the coordinator of a Citus cluster.
 * @param {string} connectionString
 */
export async function hasCitus(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rowCount } = await client.query(`select from pg_extension where extname = 'citus'`);
  await client.end();
  return rowCount === 1;
}

/**
 * The service uses a cluster as it uses a pooler, and starts only if its connections have the time limits.
 * @param {string} databaseUrl
 */
export async function settingsOfCluster(databaseUrl) {
  const { SERVER_LIMITS } = await import('../dist/src/platform/database/orm-options.js');
  const limited = new URL(databaseUrl);
  const options = Object.entries(SERVER_LIMITS).map(([name, ms]) => `-c ${name}=${ms}`);
  limited.searchParams.set('options', options.join(' '));
  return { DATABASE_URL: limited.href, DATABASE_DIRECT_URL: databaseUrl };
}
