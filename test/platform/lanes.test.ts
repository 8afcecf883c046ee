import { LineStore } from '../../src/platform/queue/line-store.js';
import { startService } from '../support/service.js';

/** No worker: whoever has a place keeps it. */
const service = await startService({ SLIPWAY_ROLE: 'api' });
const { database } = service;
const lines = service.app.get(LineStore, { strict: false });
const WIDE = { lane: 'mixed', width: 8 };
const NARROW = { lane: 'mixed', width: 2 };
afterAll(() => service.stop());
beforeEach(() => database.rows('delete from job'));

function add(name: string, { lane, width }: typeof WIDE, place: number | null = null): Promise<unknown> {
  return database.rows(
    `insert into job (id, name, lane, width, place, data, state, run_at, created_at)
     values ($1, 'test.lanes', $2, $3, $4, '{}', 'queued', now(), now())`,
    [`j-${name}`, lane, width, place],
  );
}

async function addMany(name: string, count: number, lane: typeof WIDE): Promise<void> {
  for (let n = 1; n <= count; n += 1) await add(`${name}${n}`, lane);
}

const placed = async () => {
  const rows = await database.rows<{ id: string }>('select id from job where place is not null order by place');
  return rows.map(({ id }) => id.slice('j-'.length));
};

it('gives all places at once', async () => {
  await addMany('wide', 20, WIDE);
  expect(await lines.serve(WIDE)).toBe(true);
  expect((await placed()).sort()).toEqual(Array.from({ length: 8 }, (_, at) => `wide${at + 1}`));
  expect(await lines.serve(WIDE)).toBe(false);
});

it('passes by those who are too narrow for the places that are free', async () => {
  await add('runs 1', NARROW, 1);
  await add('runs 2', NARROW, 2);
  await addMany('narrow', 10, NARROW);
  await addMany('wide', 10, WIDE);
  await lines.serve(WIDE);
  expect((await placed()).slice(2).sort()).toEqual(Array.from({ length: 6 }, (_, at) => `wide${at + 1}`));
});

it('gives a narrow one a place that it fits into', async () => {
  for (let round = 0; round < 20; round += 1) {
    await database.rows('delete from job');
    await add('narrow', NARROW);
    await add('wide', WIDE);
    await lines.serve(WIDE);
    expect((await placed()).sort()).toEqual(['narrow', 'wide']);
  }
});

it('finds a narrow one neglected beside wide ones that leave it room', async () => {
  await add('wide 5', WIDE, 5);
  await add('wide 6', WIDE, 6);
  await add('narrow', NARROW);
  expect((await lines.neglected('', 10)).lanes).toMatchObject([NARROW]);
  await lines.serve(NARROW);
  expect((await lines.neglected('', 10)).lanes).toEqual([]);
});

it('leaves no place free, and fails for nobody, when many give places of a lane at the same moment', async () => {
  for (let round = 0; round < 20; round += 1) {
    await database.rows('delete from job');
    await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(async (name) => {
        await addMany(name, 3, WIDE);
        await lines.serve(WIDE);
      }),
    );
    expect(await placed()).toHaveLength(8);
  }
});
