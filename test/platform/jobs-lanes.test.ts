import { Redis } from 'ioredis';
import { eventually } from '../support/eventually.js';
import { begun, inParallel, quick, startJobs, events, untilBegun } from './jobs.fixture.js';

const SLOTS = 16;
const { service, add, becomes, stateOf, stop } = await startJobs({ WORKER_SLOTS: String(SLOTS) });
const redis = new Redis(service.settings.REDIS_URL!);
afterAll(async () => {
  redis.disconnect();
  await stop();
});

/** Bull's counter of ids is the number of bells so far. */
const bellsRung = async () => Number(await redis.get(`${service.settings.REDIS_PREFIX}:upkeep:id`));

/** Adds queued jobs to a lane, as if each had been added by itself. */
function line(lane: string, count: number): Promise<unknown> {
  return service.database.rows(
    `insert into job (id, name, lane, data, state, run_at, created_at)
     select 'j-' || $1 || n, 'test.in-order', $1, jsonb_build_object('note', $1 || n), 'queued', now(), now()
     from generate_series(1, $2) as n`,
    [lane, count],
  );
}

it('runs as many jobs of a lane at once as its width allows, and the next one when one ends', async () => {
  const notes = ['w1', 'w2', 'w3', 'w4', 'w5'];
  const ids = await Promise.all(notes.map((note) => add(note, { lane: 'wide' }, inParallel)));
  await eventually(
    () => begun.size,
    (size) => size === 3,
  );
  const waiting = await service.database.rows(`select from job where lane = 'wide' and state = 'queued'`);
  expect(waiting).toHaveLength(2);
  for (let ended = 0; ended < notes.length; ended += 1) {
    await eventually(() => begun.size > 0);
    expect(begun.size).toBeLessThanOrEqual(3);
    [...begun.values()][0]!.finish();
    await eventually(() => events.filter((line) => /^w\d ends/.test(line)).length > ended);
  }
  await Promise.all(ids.map((id) => becomes(id, 'done')));
});

it('continues with other jobs of a wide lane while one waits for its next attempt', async () => {
  const failing = await add('f1', { lane: 'failing' }, inParallel);
  (await untilBegun('f1')).fail();
  await becomes(failing, 'queued');
  for (const note of ['f2', 'f3', 'f4']) await add(note, { lane: 'failing' }, inParallel);
  for (const note of ['f2', 'f3', 'f4']) await untilBegun(note);
  for (const note of ['f2', 'f3', 'f4']) begun.get(note)!.finish();
  expect(await stateOf(failing)).toBe('queued');
});

it('lets the database refuse more running jobs than the lane is wide', async () => {
  const insert = (place: number) =>
    service.database.rows(
      `insert into job (id, name, lane, width, place, data, state, run_at, lease_until, created_at)
       values ('j-full' || gen_random_uuid(), 'test.in-parallel', 'full', 2, $1, '{"note":""}', 'running', now(),
               now() + interval '1 minute', now())`,
      [place],
    );
  await insert(1);
  await insert(2);
  await expect(insert(2)).rejects.toThrow('job_place');
  await expect(insert(3)).rejects.toThrow('job_check');
});

it('serves a lane whose places were all left empty', async () => {
  quick.is = (note) => note.startsWith('left');
  await line('left', 3);
  await becomes('j-left3', 'done');
  expect(events.filter((entry) => entry.startsWith('left'))).toEqual([
    'left1 begins',
    'left1 ends',
    'left2 begins',
    'left2 ends',
    'left3 begins',
    'left3 ends',
  ]);
});

it('rings for other workers if it has no free slot', async () => {
  quick.is = () => false;
  const before = await bellsRung();
  for (let n = 1; n <= SLOTS; n += 1) await add(`taken ${n}`);
  await untilBegun(`taken ${SLOTS}`);
  const last = await add('left to others');
  await eventually(bellsRung, (rung) => rung > before);

  for (let n = 1; n <= SLOTS; n += 1) begun.get(`taken ${n}`)!.finish();
  await untilBegun('left to others');
  begun.get('left to others')!.finish();
  await becomes(last, 'done');
});

it('rings no bell for 100,000 jobs in a lane while this worker has room', async () => {
  quick.is = (note) => note !== 'first';
  const before = await bellsRung();
  const first = await add('first', { lane: 'long' });
  await untilBegun('first');
  await line('long', 100_000);
  await Promise.all(Array.from({ length: 100 }, (_, at) => add(`more ${at}`, { lane: 'long' })));
  expect(await bellsRung()).toBe(before);

  begun.get('first')!.finish();
  await becomes(first, 'done');
  await becomes('j-long20', 'done');
  expect(await bellsRung()).toBe(before);
  const notes = events.filter((entry) => /^long\d+ ends/.test(entry)).slice(0, 20);
  expect(notes).toEqual(Array.from({ length: 20 }, (_, at) => `long${at + 1} ends`));
  await service.database.rows(`delete from job where lane = 'long' and state = 'queued'`);
});
