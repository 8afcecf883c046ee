import { ConnectionPool } from '../../src/platform/database/connection-pool.js';
import { eventually } from '../support/eventually.js';
import { inOrder, quick, startJobs } from './jobs.fixture.js';

/** The worker would look for lost bells once a minute, so that what these tests see does not come from that. */
const { service, add, becomes, stop } = await startJobs({ WORKER_LOOK_SECONDS: '60' });
afterAll(stop);
quick.is = () => true;

/** The time in which a service without work is watched. The recurring jobs of a minute may fall into it. */
const WATCHED_MS = 5_000;

const untilQuiet = () =>
  eventually(
    () => service.database.rows(`select from job where state <> 'done' and (every is null or run_at < now())`),
    (jobs) => jobs.length === 0,
  );

it('begins a job when it is due, without a bell', async () => {
  await untilQuiet();
  const begin = performance.now();
  await becomes(await add('later', { runAt: new Date(Date.now() + 2_500) }), 'done');
  expect(performance.now() - begin).toBeGreaterThan(2_000);
});

it('begins a job again whose lease has run out, without a bell', async () => {
  await untilQuiet();
  await service.database.rows(
    `insert into job (id, name, lane, place, data, state, attempt, claim, lease_until, run_at, created_at)
     values ('j-left', $1, 'j-left', 1, '{"note": "left"}', 'running', 1, gen_random_uuid(),
       now() + interval '3 seconds', now(), now())`,
    [inOrder.name],
  );
  // Any job makes the worker look once more, and it then knows of the lease.
  await becomes(await add('sooner'), 'done');
  await becomes('j-left', 'done');
});

it('asks the database less than once a second when there is nothing to do', async () => {
  await untilQuiet();
  const sent: string[] = [];
  const watch = (texts: readonly string[]) => sent.push(...texts);
  const { watchers } = service.app.get(ConnectionPool);
  let isFew = false;
  // A recurring job may be due meanwhile, so the least of a few measurements counts.
  for (let time = 0; time < 3 && !isFew; time += 1) {
    sent.length = 0;
    watchers.add(watch);
    const end = performance.now() + WATCHED_MS;
    await eventually(() => performance.now() > end);
    watchers.delete(watch);
    isFew = sent.length < WATCHED_MS / 1_000;
  }
  expect(isFew ? [] : sent).toEqual([]);
});
