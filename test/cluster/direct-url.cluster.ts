import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { createDistributedDatabase } from './distributed-database.js';

it('ends the start with a sentence on a distributed database without DATABASE_DIRECT_URL', async () => {
  const settings = settingsFor(await createDistributedDatabase());
  const failure = await startProcess(settings).then(
    async (service) => `It started, and ended with ${JSON.stringify(await service.stop())}`,
    (error: Error) => error.message,
  );
  expect(failure).toContain(
    'DATABASE_URL leads to a database that Citus distributes, so DATABASE_DIRECT_URL is needed',
  );
  expect(failure).not.toContain('    at ');
});
