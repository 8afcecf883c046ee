import { events, inOrder, startJobs, untilBegun } from './jobs.fixture.js';
import { eventually } from '../support/eventually.js';

const { service, jobs, inTransaction, add, becomes, stateOf, stop } = await startJobs();
afterAll(stop);

/** Cuts the connection on which the job is about to end. */
async function cutAtTheEnd(jobId: string, note: string): Promise<void> {
  const job = await untilBegun(note);
  const lock = await service.database.openTransaction(`select from job where id = '${jobId}' for update`);
  job.finish();
  await eventually(
    () => service.database.waiting(),
    (waiting) => waiting.some((query) => query.includes('update job')),
  );
  await service.database.cut('slipway');
  await lock.commit();
}

async function secondsUntil(jobId: string): Promise<number> {
  const [job] = await eventually(
    () =>
      service.database.rows<{ seconds: number }>(
        `select extract(epoch from run_at - now())::float8 as seconds from job where id = $1 and state = 'queued'`,
        [jobId],
      ),
    (rows) => rows.length === 1,
  );
  return job!.seconds;
}

it('does not count attempts that a lost connection to the database ended', async () => {
  const jobId = await add('cut');
  // The job may be attempted twice.
  for (let time = 0; time <= inOrder.attempts; time += 1) await cutAtTheEnd(jobId, 'cut');
  // The pause begins with two seconds, and is twice as long after each outage.
  const pause = await secondsUntil(jobId);
  expect(pause).toBeGreaterThan(4);
  expect(pause).toBeLessThanOrEqual(8);
  (await untilBegun('cut')).finish();
  await becomes(jobId, 'done');
  expect(events.filter((event) => event === 'cut begins')).toHaveLength(inOrder.attempts + 2);
  expect(events.some((event) => event.startsWith('cut is given up'))).toBe(false);
});

it('pauses as after a first outage if the job was suspended since the last one', async () => {
  const jobId = await add('suspended');
  await cutAtTheEnd(jobId, 'suspended');
  for (let time = 0; time < 3; time += 1) {
    (await untilBegun('suspended')).suspend();
    await becomes(jobId, 'suspended');
    await inTransaction((tx) => jobs.resume(tx, jobId));
  }
  await cutAtTheEnd(jobId, 'suspended');
  expect(await secondsUntil(jobId)).toBeLessThanOrEqual(2);
  (await untilBegun('suspended')).finish();
  await becomes(jobId, 'done');
});

it('counts attempts that a lost connection to another server ended', async () => {
  const jobId = await add('refused');
  for (let time = 0; time < inOrder.attempts; time += 1) (await untilBegun('refused')).fail();
  await becomes(jobId, 'failed');
  expect(await stateOf(jobId)).toBe('failed');
});
