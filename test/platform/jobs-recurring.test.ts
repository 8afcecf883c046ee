import { Module } from '@nestjs/common';
import { z } from 'zod';
import { defineJob } from '../../src/platform/queue/job-definition.js';
import { HandlesJob, JobHandler } from '../../src/platform/queue/job-handler.js';
import { Recovery } from '../../src/platform/queue/recovery.js';
import { administratorOf } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { Root as Fixture, startJobs } from './jobs.fixture.js';

const sweeping = defineJob('test.sweeping', {
  queue: 'upkeep',
  data: z.object({ depth: z.number().default(1) }),
  attempts: 2,
  backoff: () => 0,
  every: 3_600,
});

const runs: number[] = [];
let isFailing = false;

@HandlesJob(sweeping)
class Sweeping extends JobHandler<{ depth: number }> {
  async run({ data }: { data: { depth: number } }): Promise<void> {
    runs.push(data.depth);
    if (isFailing) throw new Error('on purpose');
  }
}

@Module({ imports: [Fixture], providers: [Sweeping] })
class Root {}

const { service, stop } = await startJobs({}, Root);
afterAll(stop);

interface Row {
  id: string;
  state: string;
  every: number;
  error: string | null;
  seconds: number;
}

const rows = () =>
  service.database.rows<Row>(
    `select id, state, every, error, extract(epoch from run_at - now())::float8 as seconds from job
     where name = 'test.sweeping'`,
  );
const untilItWaits = (count: number) =>
  eventually(rows, ([row]) => runs.length === count && row?.state === 'queued' && row.seconds > 3_000);
/** Workers do this when they start, and once a minute. */
const keepRecurring = () => service.app.get(Recovery, { strict: false }).keepRecurring();
const makeDue = () => service.database.rows(`update job set run_at = now() where name = 'test.sweeping'`);

it('is added, runs, and is due again after its interval, in one row', async () => {
  const [first] = await untilItWaits(1);
  expect(runs).toEqual([1]);
  expect(first).toMatchObject({ every: 3_600, error: null });
  await makeDue();
  const after = await untilItWaits(2);
  expect(after.map(({ id }) => id)).toEqual([first!.id]);
});

it('is due again after a failure, and says why it failed', async () => {
  isFailing = true;
  await makeDue();
  const [row] = await untilItWaits(4);
  expect(row!.error).toBe('on purpose');
  isFailing = false;
  await makeDue();
  expect((await untilItWaits(5))[0]!.error).toBeNull();
});

it('is due again when a run is cancelled', async () => {
  const [{ id }] = (await rows()) as [Row];
  await makeDue();
  await untilItWaits(6);
  const cancelled = await administratorOf(service).post(`/api/admin/v1/jobs/${id}/cancel`);
  expect(cancelled.body).toMatchObject({ data: { state: 'waiting', everySeconds: 3_600 } });
  await makeDue();
  await untilItWaits(7);
});

it('is added again when its row is lost, with the interval of its definition', async () => {
  await service.database.rows(`delete from job where name = 'test.sweeping'`);
  await keepRecurring();
  await untilItWaits(8);
  await service.database.rows(
    `update job set every = 86400, run_at = now() + interval '1 day' where name = 'test.sweeping'`,
  );
  await keepRecurring();
  const [row, ...others] = await rows();
  expect(row!.every).toBe(3_600);
  expect(row!.seconds).toBeLessThanOrEqual(3_600);
  expect(others).toEqual([]);
});

it('exists only once, which the database ensures', async () => {
  const second = service.database.rows(
    `insert into job (id, name, lane, place, data, state, every, run_at, created_at)
     values ('j-second', 'test.sweeping', 'j-second', 1, '{}', 'queued', 1, now(), now())`,
  );
  await expect(second).rejects.toThrow('job_recurring');
});
