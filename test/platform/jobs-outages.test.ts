import { events, inOrder, startJobs, untilBegun } from './jobs.fixture.js';
import { eventually } from '../support/eventually.js';

const { service, add, becomes, stateOf, stop } = await startJobs();
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

it('does not count attempts that a lost connection to the database ended', async () => {
  const jobId = await add('cut');
  // The job may be attempted twice.
  for (let time = 0; time <= inOrder.attempts; time += 1) await cutAtTheEnd(jobId, 'cut');
  (await untilBegun('cut')).finish();
  await becomes(jobId, 'done');
  expect(events.filter((event) => event === 'cut begins')).toHaveLength(inOrder.attempts + 2);
  expect(events.some((event) => event.startsWith('cut is given up'))).toBe(false);
});

it('counts attempts that a lost connection to another server ended', async () => {
  const jobId = await add('refused');
  for (let time = 0; time < inOrder.attempts; time += 1) (await untilBegun('refused')).fail();
  await becomes(jobId, 'failed');
  expect(await stateOf(jobId)).toBe('failed');
});
