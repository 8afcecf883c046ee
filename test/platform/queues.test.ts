import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

const settings: SettingsOfTest = { ...settingsFor(await createDatabase()), SLIPWAY_ROLE: 'worker' };
const database = new TestDatabase(settings.DATABASE_URL!);
afterAll(() => database.end());

/** Adds a due job that any process can run, to each of the queues. */
async function addToEach(note: string): Promise<void> {
  await database.rows(
    `insert into job (id, name, queue, lane, place, data, state, run_at, created_at)
     select 'j-' || $1 || '-' || queue, 'access.finish-revocation', queue, 'j-' || $1 || '-' || queue, 1,
       '{"keyId":"ak-none"}', 'queued', now(), now()
     from unnest(array['dock', 'callbacks', 'turns', 'upkeep']) as queue`,
    [note],
  );
}

async function queuesOf(note: string, state: string): Promise<string[]> {
  const jobs = await database.rows<{ queue: string }>(
    `select queue from job where id like 'j-' || $1 || '-%' and state = $2 order by queue`,
    [note, state],
  );
  return jobs.map(({ queue }) => queue);
}

const areDone = (note: string, queues: string[]) =>
  eventually(
    () => queuesOf(note, 'done'),
    (done) => done.join() === queues.join(),
  );

it('a process runs the jobs of its queues only, and those of the others wait for a process that serves them', async () => {
  await addToEach('first');
  const replies = await startProcess({ ...settings, SLIPWAY_QUEUES: 'callbacks, turns:2' });
  await areDone('first', ['callbacks', 'turns']);
  // This job has ended after further looks of the process.
  await addToEach('second');
  await areDone('second', ['callbacks', 'turns']);
  const untouched = await database.rows(`select queue from job where attempt = 0 and every is null order by id`);
  expect(untouched).toEqual([{ queue: 'dock' }, { queue: 'upkeep' }, { queue: 'dock' }, { queue: 'upkeep' }]);

  const imports = await startProcess({ ...settings, SLIPWAY_QUEUES: 'dock' });
  await areDone('first', ['callbacks', 'dock', 'turns']);
  await areDone('second', ['callbacks', 'dock', 'turns']);
  expect(await queuesOf('first', 'queued')).toEqual(['upkeep']);

  const all = await startProcess(settings);
  await areDone('first', ['callbacks', 'dock', 'turns', 'upkeep']);
  await Promise.all([replies, imports, all].map((process) => process.stop()));
});

it('a process leaves lost jobs and suspensions of other queues alone', async () => {
  await database.rows(
    `insert into job (id, name, queue, lane, place, data, state, claim, attempt, lease_until, run_at, created_at)
     select 'j-lost-' || queue || state, 'access.finish-revocation', queue, 'j-lost-' || queue || state, 1,
       '{"keyId":"ak-none"}', state, gen_random_uuid(), 1, now() - interval '1 minute', now(), now()
     from unnest(array['dock', 'turns']) as queue, unnest(array['running', 'suspended']) as state`,
  );
  const turns = await startProcess({ ...settings, SLIPWAY_QUEUES: 'turns' });
  const states = () =>
    database.rows<{ id: string; state: string }>(`select id, state from job where id like 'j-lost-%' order by id`);
  await eventually(states, (jobs) => jobs.filter(({ state }) => state === 'done').length === 2);
  expect(await states()).toEqual([
    { id: 'j-lost-dockrunning', state: 'running' },
    { id: 'j-lost-docksuspended', state: 'suspended' },
    { id: 'j-lost-turnsrunning', state: 'done' },
    { id: 'j-lost-turnssuspended', state: 'done' },
  ]);
  const dock = await startProcess({ ...settings, SLIPWAY_QUEUES: 'dock' });
  await eventually(states, (jobs) => jobs.every(({ state }) => state === 'done'));
  await Promise.all([turns.stop(), dock.stop()]);
});

it('a row of an earlier release goes to upkeep, and so do recurring jobs', async () => {
  const [row] = await database.rows<{ queue: string }>(
    `insert into job (id, name, lane, data, state, run_at, created_at)
     values ('j-earlier', 'agents.turn', 'x', '{}', 'queued', now(), now()) returning queue`,
  );
  expect(row).toEqual({ queue: 'upkeep' });
  const recurring = await database.rows(`select distinct queue from job where every is not null`);
  expect(recurring).toEqual([{ queue: 'upkeep' }]);
});

it('a process does not start with a queue that does not exist', async () => {
  const start = startProcess({ ...settings, SLIPWAY_QUEUES: 'callbacks,replies' });
  await expect(start).rejects.toThrow(
    /SLIPWAY_QUEUES has .+replies.+, which is not a queue. The queues are dock, callbacks, turns, upkeep/,
  );
});
