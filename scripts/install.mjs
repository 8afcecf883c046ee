import { ensureInstalled, refuseOldNode } from './setup.mjs';
import { explain } from './start-error.mjs';

// Runs before the commands of developers that need more packages than `npm start` has installed.

try {
  refuseOldNode();
  await ensureInstalled(console.log, 'everything');
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
