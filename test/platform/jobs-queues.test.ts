import { Redis } from 'ioredis';
import { QUEUES, type QueueName } from '../../src/kernel/queues.js';
import { Bells } from '../../src/platform/queue/bells.js';
import { claim } from '../../src/platform/queue/claim.statement.js';
import { look } from '../../src/platform/queue/look.statement.js';
import type { Statement } from '../../src/platform/database/statement.js';
import { administratorOf } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { begun, inOrder, ofDock, ofTurns, quick, startJobs, untilBegun } from './jobs.fixture.js';

const SLOTS = 8;
const { service, add, becomes, stateOf, stop } = await startJobs({
  SLIPWAY_QUEUES: 'dock:2,turns',
  WORKER_SLOTS: String(SLOTS),
  WORKER_LOOK_SECONDS: '60',
});
const redis = new Redis(service.settings.REDIS_URL!);
afterAll(async () => {
  redis.disconnect();
  await service.database.rows(`delete from job where state = 'queued'`);
  await stop();
});

/** Bull's counter of ids is the number of bells so far. */
const bellsRung = async (queue: QueueName) => Number(await redis.get(`${service.settings.REDIS_PREFIX}:${queue}:id`));
const running = (kind: string) => [...begun.keys()].filter((note) => note.startsWith(kind)).length;

it('runs as many jobs of a queue at a time as the setting says, and the others meanwhile', async () => {
  quick.is = (note) => note.startsWith('quick');
  const docks = await Promise.all(
    Array.from({ length: 12 }, (_, at) => add(`dock ${at}`, { projectId: `p${at % 4}` }, ofDock)),
  );
  await eventually(() => running('dock') === 2);
  const before = await bellsRung('turns');
  for (let at = 0; at < 10; at += 1) await becomes(await add(`quick ${at}`, { projectId: 'p0' }, ofTurns), 'done');
  expect(await bellsRung('turns')).toBe(before);

  for (let ended = 0; ended < docks.length; ended += 1) {
    await eventually(() => running('dock') > 0);
    expect(running('dock')).toBeLessThanOrEqual(2);
    [...begun.values()].find(({ note }) => note.startsWith('dock'))!.finish();
  }
  for (const jobId of docks) await becomes(jobId, 'done');
});

it('never begins more jobs of a queue than the setting says, also when many are added at once', async () => {
  let most = 0;
  quick.is = () => false;
  const added = Array.from({ length: 60 }, (_, at) => add(`burst ${at}`, {}, at % 2 ? ofDock : ofTurns));
  const isDock = ({ note }: { note: string }) => note.startsWith('burst') && Number(note.split(' ')[1]) % 2 === 1;
  const ids = await Promise.all(added);
  const left = () => service.database.rows(`select from job where id = any($1) and state <> 'done'`, [ids]);
  await eventually(
    async () => {
      const now = [...begun.values()];
      most = Math.max(most, now.filter(isDock).length);
      for (const { finish } of now) finish();
      return left();
    },
    (jobs) => jobs.length === 0,
    30_000,
  );
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(2);
});

it('leaves a bell of a queue without room to other processes, and begins its next job when one ends', async () => {
  quick.is = (note) => note.startsWith('quick');
  const full = [await add('full 1', {}, ofDock), await add('full 2', {}, ofDock)];
  await eventually(() => running('full') === 2);
  const jobId = 'j-added-elsewhere';
  await service.database.rows(
    `insert into job (id, name, queue, lane, place, data, state, run_at, created_at)
     values ($1, 'test.of-dock', 'dock', $1, 1, '{"note":"elsewhere"}', 'queued', now(), now())`,
    [jobId],
  );
  const bells = service.app.get(Bells);
  await bells.ring('dock');
  await eventually(
    async () => new Map(await bells.unanswered()).get('dock'),
    (unanswered) => unanswered! > 0,
  );
  // The process would answer that bell ten times a second if it had no room for another reason.
  const before = await bellsRung('dock');
  for (let at = 0; at < 40; at += 1) await becomes(await add(`quick ${at}`, {}, ofTurns), 'done');
  expect(await bellsRung('dock')).toBeLessThanOrEqual(before + 1);
  expect(await stateOf(jobId)).toBe('queued');
  begun.get('full 1')!.finish();
  (await untilBegun('elsewhere')).finish();
  begun.get('full 2')!.finish();
  for (const each of [...full, jobId]) await becomes(each, 'done');
});

it('rings for the process that serves the queue of a job, and never runs that job', async () => {
  quick.is = () => true;
  const before = { upkeep: await bellsRung('upkeep'), turns: await bellsRung('turns') };
  const jobId = await add('for others');
  await eventually(
    () => bellsRung('upkeep'),
    (rung) => rung > before.upkeep,
  );
  await becomes(await add('for this', {}, ofTurns), 'done');
  expect(await stateOf(jobId)).toBe('queued');
  expect(await bellsRung('turns')).toBe(before.turns);
});

it('begins jobs of its queues in the share of their project, whichever queues they are in', async () => {
  quick.is = () => false;
  await service.database.rows(
    `insert into job (id, name, queue, project_id, lane, place, data, state, run_at, created_at)
     select id, name, queue, 'shared', id, 1, jsonb_build_object('note', queue || n), 'queued', now(), now()
     from generate_series(1, 50) as n, (values ('test.of-dock', 'dock'), ('test.of-turns', 'turns')) as of (name, queue),
       lateral (select 'j-shared' || queue || n) as made (id)`,
  );
  await add('wakes', { projectId: 'waking' }, ofTurns);
  await eventually(() => running('dock') + running('turns') === SLOTS);
  expect(running('dock')).toBeLessThanOrEqual(2);
  expect(begun.has('wakes')).toBe(true);
  quick.is = () => true;
  for (const { finish } of begun.values()) finish();
  await eventually(
    () => service.database.rows(`select from job where project_id = 'shared' and state <> 'done'`),
    (jobs) => jobs.length === 0,
  );
});

it('counts a job as late whose process has died, if no process serves its queue', async () => {
  await service.database.rows(
    `insert into job (id, name, queue, lane, place, data, state, lease_until, run_at, created_at)
     values ('j-left', 'test.left', 'upkeep', 'j-left', 1, '{}', 'running', now() - interval '10 minutes', now(), now())`,
  );
  const { body } = await administratorOf(service).get<{ data: { name: string }[] }>('/api/admin/v1/jobs/summary');
  const [summary] = body.data.filter(({ name }) => name === 'test.left');
  expect(summary).toMatchObject({ queue: 'upkeep', running: 1, waiting: 0, due: 1, late: 1 });
  expect(summary).toHaveProperty('oldestWaitingSeconds', expect.closeTo(600, -2));
  await service.database.rows(`delete from job where id = 'j-left'`);
});

describe('among a hundred thousand jobs of another queue', () => {
  beforeAll(async () => {
    await service.database.rows(
      `insert into job (id, name, queue, project_id, lane, place, data, state, lease_until, run_at, created_at)
       select 'j-many' || n, $1, 'upkeep', 'p' || n % 10, 'j-many' || n, 1, '{}', state, now() + interval '1 hour',
         now() + interval '1 hour', now()
       from (select n, (array['queued', 'running', 'suspended'])[1 + n % 3] as state
         from generate_series(1, 100000) as n) as made`,
      [inOrder.name],
    );
    await service.database.rows('analyze job');
  }, 60_000);

  const room = { left: SLOTS, running: new Map([['p1', 2]]), queues: new Map([['turns' as const, Infinity]]) };
  it.each<[string, Statement<unknown>, string[]]>([
    ['a look', look(['turns', 'dock']), ['job_due_by_queue', 'job_suspended_by_queue', 'job_lease_by_queue']],
    ['a claim', claim(room), ['job_due_by_queue']],
  ])('%s reads a few entries of an index', async (_name, { sql }, indexes) => {
    const { text, values } = sql.toQuery();
    const lines = await service.database.rows<{ 'QUERY PLAN': string }>(`explain (analyze, buffers) ${text}`, values);
    const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
    expect(plan).not.toMatch(/Seq Scan on job/);
    for (const index of indexes) expect(plan).toContain(index);
    const [, hits] = /Buffers: shared hit=(\d+)/.exec(plan)!;
    expect(Number(hits)).toBeLessThan(100);
  });

  it('a worker of all queues hops from project to project', async () => {
    const { text, values } = look(QUEUES).sql.toQuery();
    const lines = await service.database.rows<{ 'QUERY PLAN': string }>(`explain (analyze, buffers) ${text}`, values);
    const [, hits] = /Buffers: shared hit=(\d+)/.exec(lines.map((line) => line['QUERY PLAN']).join('\n'))!;
    expect(Number(hits)).toBeLessThan(200);
  });
});
