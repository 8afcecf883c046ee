import { z } from 'zod';
import { SYSTEM } from '../../src/kernel/actor.js';
import { Database } from '../../src/platform/database/database.js';
import { defineJob } from '../../src/platform/queue/job-definition.js';
import { Jobs } from '../../src/platform/queue/jobs.js';
import { Lanes } from '../../src/platform/queue/lanes.js';
import { Recovery } from '../../src/platform/queue/recovery.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';

/** The service has no worker, so that a job keeps its place. */
const service = await startService({ SLIPWAY_ROLE: 'api' });
const { database } = service;
const lanes = service.app.get(Lanes, { strict: false });
const jobs = service.app.get(Jobs, { strict: false });
const noted = defineJob('test.lanes', { queue: 'upkeep', data: z.object({ note: z.string() }), attempts: 1 });
const WIDE = { lane: 'mixed', width: 8 };
const NARROW = { lane: 'mixed', width: 2 };
const NARROWEST = { lane: 'one by one', width: 1 };
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

it('assigns all places at once', async () => {
  await addMany('wide', 20, WIDE);
  expect(await lanes.serve(WIDE)).toBe(true);
  expect((await placed()).sort()).toEqual(Array.from({ length: 8 }, (_, at) => `wide${at + 1}`));
  expect(await lanes.serve(WIDE)).toBe(false);
});

it('skips jobs that are too narrow for the free places', async () => {
  await add('runs 1', NARROW, 1);
  await add('runs 2', NARROW, 2);
  await addMany('narrow', 10, NARROW);
  await addMany('wide', 10, WIDE);
  await lanes.serve(WIDE);
  expect((await placed()).slice(2).sort()).toEqual(Array.from({ length: 6 }, (_, at) => `wide${at + 1}`));
});

it('assigns a narrow job a place that it fits into', async () => {
  for (let round = 0; round < 20; round += 1) {
    await database.rows('delete from job');
    await add('narrow', NARROW);
    await add('wide', WIDE);
    await lanes.serve(WIDE);
    expect((await placed()).sort()).toEqual(['narrow', 'wide']);
  }
});

it('counts a narrow job as neglected if wide jobs leave it room', async () => {
  await add('wide 5', WIDE, 5);
  await add('wide 6', WIDE, 6);
  await add('narrow', NARROW);
  expect((await lanes.neglected('', 10)).lanes).toMatchObject([NARROW]);
  await lanes.serve(NARROW);
  expect((await lanes.neglected('', 10)).lanes).toEqual([]);
});

it('hands the first queued jobs to all transactions that free places at the same moment', async () => {
  await add('narrow', NARROW);
  await addMany('wide', 2, WIDE);
  const giving = await database.openTransaction(
    `with first as (select id from job where width = 2 for update) update job set place = 1 from first where job.id = first.id`,
  );
  await lanes.serve(WIDE);
  await giving.commit();
  expect((await placed()).toSorted()).toEqual(['narrow', 'wide1', 'wide2']);
});

it('leaves no place free and fails in no transaction when many free places of a lane at the same moment', async () => {
  for (let round = 0; round < 20; round += 1) {
    await database.rows('delete from job');
    await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(async (name) => {
        await addMany(name, 3, WIDE);
        await lanes.serve(WIDE);
      }),
    );
    expect(await placed()).toHaveLength(8);
  }
});

describe('a job that is added', () => {
  const addInTransaction = (note: string, lane: typeof WIDE) =>
    service.app.get(Database).transaction(SYSTEM, (tx) => jobs.add(tx, noted, { note }, lane));
  const places = () =>
    database.rows<{ note: string; place: number | null }>(
      `select coalesce(data ->> 'note', id) as note, place from job order by seq`,
    );

  it('gets the free place from the beginning, or is queued', async () => {
    await addInTransaction('first', NARROWEST);
    await addInTransaction('second', NARROWEST);
    expect(await places()).toEqual([
      { note: 'first', place: 1 },
      { note: 'second', place: null },
    ]);
  });

  it('is queued behind jobs that wait for the same place', async () => {
    await add('waits', NARROWEST);
    await addInTransaction('comes', NARROWEST);
    expect(await places()).toEqual([
      { note: 'j-waits', place: 1 },
      { note: 'comes', place: null },
    ]);
  });

  it('is queued if the place is handed to another job at that moment', async () => {
    const given = await database.openTransaction(
      `insert into job (id, name, lane, width, place, data, state, run_at, created_at)
       values ('j-given', 'test.lanes', $1, 1, 1, '{}', 'queued', now(), now())`,
      [NARROWEST.lane],
    );
    const adding = addInTransaction('comes', NARROWEST);
    await eventually(
      () => database.waiting(),
      ({ length }) => length === 1,
    );
    await given.commit();
    await adding;
    expect((await places()).toSorted((one, other) => (one.place ?? 9) - (other.place ?? 9))).toEqual([
      { note: 'j-given', place: 1 },
      { note: 'comes', place: null },
    ]);
  });

  it('gets the only place of its lane, although its owner left it at the same moment', async () => {
    for (let round = 0; round < 20; round += 1) {
      await database.rows('delete from job');
      await add('ends', NARROWEST, 1);
      const ending = await database.openTransaction(`update job set state = 'done', place = null where id = 'j-ends'`);
      await add('comes', NARROWEST);
      const serving = lanes.serve(NARROWEST);
      await ending.commit();
      expect(await serving).toBe(true);
      expect(await placed()).toEqual(['comes']);
    }
  });

  it('keeps no other lane waiting while its transaction is open', async () => {
    await add('waits', NARROW);
    const open = await database.openTransaction(
      `insert into job (id, name, lane, width, place, data, state, run_at, created_at)
       values ('j-open', 'test.lanes', 'an open one', 1, 1, '{}', 'queued', now(), now())`,
    );
    await add('comes', { lane: 'an open one', width: 1 });
    await service.app.get(Recovery, { strict: false }).recover();
    expect(await placed()).toContain('waits');
    await open.commit();
  });

  it('is served as widely as the widest of its transaction asks for', async () => {
    const locked = await database.openTransaction(`select pg_advisory_xact_lock(hashtextextended('lane mixed', 0))`);
    await service.app.get(Database).transaction(SYSTEM, async (tx) => {
      for (const lane of [WIDE, WIDE, WIDE, NARROW]) await jobs.add(tx, noted, { note: 'comes' }, lane);
    });
    // Wide jobs may have taken both places that the narrow one fits into.
    expect((await placed()).length).toBeGreaterThanOrEqual(3);
    await locked.commit();
  });

  it.each([NARROWEST, WIDE])('leaves no place free among many at the same moment: %j', async (lane) => {
    await Promise.all(Array.from({ length: 30 }, (_, n) => addInTransaction(String(n), lane)));
    expect(await places()).toHaveLength(30);
    expect(await placed()).toHaveLength(lane.width);
  });
});
