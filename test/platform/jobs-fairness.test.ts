import { eventually } from '../support/eventually.js';
import { begun, quick, startJobs, events, untilBegun } from './jobs.fixture.js';

const SLOTS = 4;
const MANY = 10_000;
const { service, add, becomes, stop } = await startJobs({ WORKER_SLOTS: String(SLOTS) });
afterAll(async () => {
  await service.database.rows(`delete from job where state = 'queued'`);
  await stop();
});

const running = (project: string) => [...begun.keys()].filter((note) => note.startsWith(project)).length;

/** Makes so many lanes of a project, each with a job that is due. */
function lanes(project: string, count: number): Promise<unknown> {
  return service.database.rows(
    `insert into job (id, name, project_id, lane, place, data, state, run_at, created_at)
     select id, 'test.in-order', $1, id, 1, jsonb_build_object('note', $1 || n), 'queued', now(), now()
     from (select n, 'j-' || $1 || n as id from generate_series(1, $2) as n) as made`,
    [project, count],
  );
}

it('gives one project its slots, the next one some that were kept free, and both the same number in the end', async () => {
  await lanes('a', MANY);
  await eventually(
    () => running('a'),
    (count) => count === SLOTS,
  );
  await lanes('b', MANY);
  // No job has ended so far.
  await eventually(
    () => running('b'),
    (count) => count === SLOTS / 2,
  );
  expect(running('a')).toBe(SLOTS);

  // A third of twice as many slots is three, and some slots stay free for the next project.
  for (const note of [...begun.keys()].slice(0, SLOTS / 2)) begun.get(note)!.finish();
  for (let round = 0; round < 20; round += 1) {
    await eventually(() => running('a') === 3 && running('b') === 3);
    [...begun.values()][round % 6]!.finish();
  }

  await service.database.rows(`delete from job where project_id = 'b' and state = 'queued'`);
  for (const [note, { finish }] of begun) if (note.startsWith('b')) finish();
  await eventually(
    () => running('a'),
    (count) => count === SLOTS,
  );
});

it('lets one job of a project pass ten thousand older lanes of another', async () => {
  quick.is = (note) => note.startsWith('a');
  for (const { finish } of begun.values()) finish();
  const before = events.length;
  const late = await add('c only', { projectId: 'c' });
  await untilBegun('c only');
  const passed = events.slice(before, events.indexOf('c only begins')).filter((line) => line.endsWith('begins'));
  expect(passed.length).toBeLessThan(MANY / 20);
  begun.get('c only')!.finish();
  await becomes(late, 'done');
});

it('runs every deferred job once in the end', async () => {
  quick.is = () => true;
  await service.database.rows(`delete from job where state = 'queued' and project_id = 'a' and right(id, 1) <> '7'`);
  await lanes('d', 300);
  const left = () =>
    service.database.rows(`select from job where project_id is not null and state in ('queued', 'running')`);
  await eventually(left, (rows) => rows.length === 0, 30_000);
  const begins = events.filter((line) => /^d\d+ begins/.test(line));
  expect(begins.length).toBe(300);
  expect(new Set(begins).size).toBe(300);
});
