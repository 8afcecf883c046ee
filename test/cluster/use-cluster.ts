import { makeDatabasesBy } from '../support/database.js';
import { withLimits } from '../support/with-limits.js';
import { createDistributedDatabase } from './distributed-database.js';

/**
 * Runs before each test file, and gives its service a database that is distributed over the cluster. The service uses it
 * as if it were behind a pooler, because Citus cannot plan most statements for all values. The address needs the time
 * limits of a role behind a pooler.
 */
makeDatabasesBy(async () => withLimits(await createDistributedDatabase()));
