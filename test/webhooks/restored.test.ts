import { cpSync } from 'node:fs';
import { open, upload } from '../files/files.js';
import { Client } from '../support/client.js';
import { copyDatabase, createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { Receiver } from '../support/receiver.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { accepted, openChannel, replyTo } from './channel.js';

const receiver = await Receiver.start();
afterAll(() => receiver.stop());

const settings = settingsFor(await createDatabase());

it('a restored copy has the keys and the files, sends nothing while its jobs are held, and then goes on', async () => {
  // Without a worker, the message is accepted and waits.
  const original = await startProcess({ ...settings, SLIPWAY_ROLE: 'api' });
  const channel = await openChannel(original, { callbackUrl: receiver.url('restored'), events: ['agent.response'] });
  const message = await accepted(channel);
  const { fileId } = (await upload(channel.tenant.api, { name: 'kept.txt', content: 'kept' })).body;
  await original.stop();

  const DATA_DIR = `${settings.DATA_DIR}-restored`;
  cpSync(settings.DATA_DIR!, DATA_DIR, { recursive: true });
  const copied = { ...settings, DATA_DIR, DATABASE_URL: await copyDatabase(settings.DATABASE_URL!) };

  const held = await startProcess({ ...copied, JOBS: 'held', LOG_LEVEL: 'warn', REDIS_PREFIX: 'restored' });
  const api = Client.withKey(held, channel.tenant.key);
  const ready = await new Client(held.url).get('/health/ready');
  expect(ready.body).toMatchObject({ status: 'degraded', checks: { jobs: { status: 'degraded' } } });
  expect(held.output()).toContain('Jobs do not run');
  const { url } = (await api.get<{ url: string }>(`/api/public/files/${fileId}`)).body;
  expect((await open(url)).bytes.toString()).toBe('kept');
  await accepted({ ...channel, tenant: { ...channel.tenant, api } });
  expect(receiver.at('restored')).toEqual([]);
  await held.stop();
  const database = new TestDatabase(copied.DATABASE_URL);
  const jobs = await database.rows<{ name: string; attempt: number }>('select name, attempt from job order by name');
  await database.end();
  expect(jobs).toEqual(Array.from({ length: 2 }, () => ({ name: 'agents.turn', attempt: 0 })));

  const replacement = await startProcess(copied);
  await replyTo(receiver, message);
  await eventually(
    () => receiver.at('restored'),
    (callbacks) => callbacks.length === 2,
  );
  await replacement.kill();
});
