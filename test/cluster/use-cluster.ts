import { makeDatabasesBy } from '../support/database.js';
import { SERVER_LIMITS } from '../../src/platform/database/orm-options.js';
import { createDistributedDatabase } from './distributed-database.js';

/**
 * Runs before each test file, and gives its service a database that is distributed over the cluster. The service uses it
 * as if it were behind a pooler, because Citus cannot plan most statements for all values.
 */
makeDatabasesBy(async () => {
  const url = await createDistributedDatabase();
  process.env.DATABASE_DIRECT_URL = url;
  return withLimits(url);
});

/** A service behind a pooler refuses to start without the time limits. */
function withLimits(url: string): string {
  const limited = new URL(url);
  const options = Object.entries(SERVER_LIMITS).map(([name, ms]) => `-c ${name}=${ms}`);
  limited.searchParams.set('options', options.join(' '));
  return limited.href;
}
