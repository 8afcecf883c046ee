import { fileURLToPath } from 'node:url';
import { makeSession } from '../sessions/make.js';
import { makeTenant } from '../support/actors.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

const settings: SettingsOfTest = {
  ...settingsFor(await createDatabase()),
  SLIPWAY_CONFIG: fileURLToPath(new URL('./events.plugin.mjs', import.meta.url)),
};
const database = new TestDatabase(settings.DATABASE_URL!);
await database.rows('create table counted (session_id text, job_id text)');
await database.rows('create table finished (session_id text)');
afterAll(() => database.end());

it('calls a durable listener again after the process was killed in the middle of it', async () => {
  const first = await startProcess(settings);
  const { sessionId } = await makeSession(await makeTenant(first));
  const counted = () =>
    database.rows<{ job_id: string }>('select job_id from counted where session_id = $1', [sessionId]);
  const [{ job_id: jobId } = { job_id: '' }] = await eventually(counted, ({ length }) => length === 1);
  await first.kill();
  // The lease of the process ends now, and not half a minute later.
  await database.rows(`update job set lease_until = now() where id = $1`, [jobId]);

  const second = await startProcess(settings);
  const finished = () => database.rows('select session_id from finished');
  expect(await eventually(finished, ({ length }) => length > 0)).toEqual([{ session_id: sessionId }]);
  expect(await counted()).toEqual([{ job_id: jobId }, { job_id: jobId }]);
  await second.stop();
});
