import { Redis } from 'ioredis';
import { makeKey, makeTenant, revoke } from '../support/actors.js';
import { createDatabase } from '../support/database.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

const settings = settingsFor(await createDatabase());
const database = new TestDatabase(settings.DATABASE_URL!);
const api = await startProcess({ ...settings, SLIPWAY_ROLE: 'api' });
afterAll(async () => {
  await Promise.all([api.stop(), database.end()]);
});

it('rings for a worker when a process for requests adds a job', async () => {
  const redis = new Redis(settings.REDIS_URL!);
  // Bull's counter of ids is the number of bells so far.
  const bellsRung = async () => Number(await redis.get(`${settings.REDIS_PREFIX}:upkeep:id`));
  try {
    const before = await bellsRung();
    const { appId, scopeName } = await makeTenant(api);
    await revoke(api, appId, (await makeKey(api, appId, scopeName)).keyId);
    await eventually(bellsRung, (rung) => rung > before);
  } finally {
    redis.disconnect();
  }
});

it('lets a worker run the jobs of a process for requests, and answer only for its health', async () => {
  await database.rows(
    `insert into job (id, name, lane, data, state, run_at, created_at)
     values ('j-promised', 'access.finish-revocation', 'x', '{"keyId":"ak-nobody"}', 'queued', now(), now())`,
  );
  const stateOf = () =>
    database.rows<{ state: string; attempt: number }>(`select state, attempt from job where id = 'j-promised'`);
  expect((await new Client(api.url).get('/docs')).status).toBe(200);
  expect(await stateOf()).toEqual([{ state: 'queued', attempt: 0 }]);

  const worker = await startProcess({ ...settings, SLIPWAY_ROLE: 'worker' });
  try {
    await eventually(stateOf, ([job]) => job?.state === 'done');
    const client = new Client(worker.url);
    expect((await client.get('/health/ready')).outcome).toBe('200');
    expect((await client.get('/api/public/me')).outcome).toBe('404 ROUTE_NOT_FOUND');
    expect((await client.get('/docs')).outcome).toBe('404 ROUTE_NOT_FOUND');
  } finally {
    await worker.stop();
  }
});
