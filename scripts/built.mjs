import { ensureBuilt, ensureInstalled, refuseOldNode } from './setup.mjs';
import { explain } from './start-error.mjs';

// Runs before the commands of developers that need the built service. It builds nothing if the sources are the same.

try {
  refuseOldNode();
  await ensureInstalled(console.log, 'everything');
  await ensureBuilt(console.log);
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
