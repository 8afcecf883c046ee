import { Database } from '../../src/platform/database/database.js';
import { eventually } from '../support/eventually.js';
import { startJobs, events, untilBegun } from './jobs.fixture.js';

const { service, jobs, add, becomes, stateOf, inTransaction, stop } = await startJobs();
afterAll(stop);

const cancel = (jobId: string) => inTransaction((tx) => jobs.cancel(tx, jobId, 'not wanted'));

it('aborts the signal of a cancelled job within about a second, calls its handler, and continues with the lane', async () => {
  const running = await add('long', { lane: 'lane' });
  const next = await add('next', { lane: 'lane' });
  const { signal } = await untilBegun('long');
  const began = performance.now();
  expect(await cancel(running)).toBe(true);
  expect(events).toContain('long is given up: not wanted');
  (await untilBegun('next')).finish();
  await eventually(() => signal.aborted);
  expect(performance.now() - began).toBeLessThan(2_000);
  await becomes(next, 'done');
  expect(await stateOf(running)).toBe('failed');
  expect(events).not.toContain('long ends');
});

it('aborts the signal of a job that another process has claimed', async () => {
  const lost = await add('lost');
  const { signal } = await untilBegun('lost');
  await service.database.rows(`update job set claim = gen_random_uuid() where id = $1`, [lost]);
  await eventually(() => signal.aborted);
  expect(await stateOf(lost)).toBe('running');
  expect(events).not.toContain('lost ends');
});

it('cancels a queued job and leaves the others', async () => {
  await add('ahead', { lane: 'line' });
  const middle = await add('middle', { lane: 'line' });
  const last = await add('last', { lane: 'line' });
  const ahead = await untilBegun('ahead');
  expect(await cancel(middle)).toBe(true);
  ahead.finish();
  (await untilBegun('last')).finish();
  await becomes(last, 'done');
  expect(events).not.toContain('middle begins');
  expect(await cancel(middle)).toBe(false);
  expect(events.filter((line) => line.startsWith('middle'))).toEqual(['middle is given up: not wanted']);
});

it('cancels nothing if the transaction fails', async () => {
  const kept = await add('kept');
  const { finish, signal } = await untilBegun('kept');
  const failed = service.app.get(Database).apart(() =>
    inTransaction(async (tx) => {
      await jobs.cancel(tx, kept, 'not wanted');
      throw new Error('on purpose');
    }),
  );
  await expect(failed).rejects.toThrow('on purpose');
  expect(signal.aborted).toBe(false);
  finish();
  await becomes(kept, 'done');
});

it('runs a failed job again with all its attempts ahead of it', async () => {
  const failing = await add('failing');
  for (let attempt = 1; attempt <= 2; attempt += 1) (await untilBegun('failing')).fail();
  await becomes(failing, 'failed');
  expect(await inTransaction((tx) => jobs.retry(tx, failing))).toBe(true);
  (await untilBegun('failing')).fail();
  await eventually(() => events.filter((line) => line === 'failing begins').length === 4);
  (await untilBegun('failing')).finish();
  await becomes(failing, 'done');
  expect(await inTransaction((tx) => jobs.retry(tx, failing))).toBe(false);
});
