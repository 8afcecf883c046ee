import { SYSTEM } from '../../src/kernel/actor.js';
import { newId, toId } from '../../src/kernel/ids.js';
import { SessionCountRepository } from '../../src/modules/sessions/list/session-count.repository.js';
import { type Counts, countMatching, SLOT_MS } from '../../src/modules/sessions/list/session-counts.statements.js';
import { type Matching, matchingRows } from '../../src/modules/sessions/list/session-matching.statements.js';
import { sessionRetention } from '../../src/modules/sessions/sessions.retention.js';
import { Database } from '../../src/platform/database/database.js';
import { Reads } from '../../src/platform/database/reads.js';
import { sql } from '../../src/platform/database/sql.js';
import { theRow } from '../../src/platform/database/statement.js';
import { Statements } from '../../src/platform/database/statements.js';
import { administratorOf, makeTenant, type Tenant } from '../support/actors.js';
import { DAY, MINUTE } from '../support/clock.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { list, makeSession, user } from './make.js';
import {
  addUp,
  aTime,
  count,
  type Dice,
  dice,
  ENVIRONMENTS,
  forgetCounts,
  insertLike,
  randomSessions,
  SOURCES,
  sums,
} from './many.js';

const service = await startService();
const counts = service.app.get(SessionCountRepository);
const database = service.app.get(Database);
afterAll(() => service.stop());
// The tests count when they need it. The job itself is postponed, because it could run while a test deletes the sums.
await eventually(
  () =>
    service.database.rows(
      `update job set run_at = now() + interval '1 day' where name = 'sessions.count' and state = 'queued' returning id`,
    ),
  (postponed) => postponed.length === 1,
  40_000,
);

const EVER = { start_time: '2020-01-01T00:00:00Z' };

function randomFilter(chance: Dice): Record<string, string> {
  const [from, to] = [aTime(chance), aTime(chance) + chance.of([1, MINUTE, DAY])].toSorted((a, b) => a - b);
  const maybe = (name: string, values: readonly string[]) => (chance.roll() < 0.4 ? { [name]: chance.of(values) } : {});
  return {
    start_time: new Date(from!).toISOString(),
    end_time: new Date(to === from ? to! + 1 : to!).toISOString(),
    ...maybe('env_name', ENVIRONMENTS),
    ...maybe('source', [...SOURCES, 'none']),
    ...(chance.roll() < 0.2 ? maybe('user_reference_id', ['somebody', 'nobody']) : {}),
  };
}

async function idsByHand({ appId }: Tenant, filter: Record<string, string>): Promise<string[]> {
  const { start_time: from, end_time: to, env_name: environment, source, user_reference_id: person } = filter;
  const rows = await service.database.rows<{ id: string }>(
    `select id from session where app_id = $1 and created_at >= $2 and created_at < $3
     and environment = coalesce($4, environment) and source = coalesce($5, source)
     and user_reference = coalesce($6, user_reference) order by created_at desc, id desc`,
    [appId, from, to ?? new Date(), environment, source, person],
  );
  return rows.map(({ id }) => id);
}

async function expectExact(tenant: Tenant, chance: Dice, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const filter = randomFilter(chance);
    const expected = await idsByHand(tenant, filter);
    const offset = Math.floor(chance.roll() * chance.of([1, expected.length, expected.length + 3]));
    const { body } = await list(tenant, filter, { limit: '20', offset: String(offset) });
    const ids = body.sessions.map(({ session_id: id }) => id);
    expect({ filter, offset, total: body.total_count, ids }).toEqual({
      filter,
      offset,
      total: expected.length,
      ids: expected.slice(offset, offset + 20),
    });
  }
}

/** Creates a tenant with a session, of which `insertLike` makes others. */
async function makeFirst(): Promise<{ tenant: Tenant; first: string }> {
  const tenant = await makeTenant(service);
  return { tenant, first: (await makeSession(tenant, [user('somebody')])).sessionId };
}

it.each([1, 2, 3])('returns exact totals and pages, whether sessions are summed or not, seed %i', async (seed) => {
  const chance = dice(seed);
  const { tenant, first } = await makeFirst();
  for (const work of [() => count(service), () => forgetCounts(service), () => count(service), () => addUp(service)]) {
    await insertLike(service, first, randomSessions(chance, 150));
    await work();
    await expectExact(tenant, chance, 12);
  }
  const deleted = randomSessions(chance, 50);
  await insertLike(service, first, deleted);
  await service.database.rows(
    `delete from session where app_id = $1 and (created_at < now() - interval '20 days' or id = any($2))`,
    [tenant.appId, deleted.map(({ id }) => id)],
  );
  await expectExact(tenant, chance, 12);
  await count(service);
  await expectExact(tenant, chance, 12);
});

/** Reads both totals from one snapshot. */
function bothWays({ projectId, appId }: Tenant, chance: Dice): Promise<{ summed: number; counted: number }> {
  const { start_time: from, end_time: to, env_name: environment, source } = randomFilter(chance);
  const wanted: Matching = {
    projectId: toId('project', projectId),
    appId: toId('app', appId),
    from: new Date(from!),
    to: new Date(to!),
    environment,
    source,
    userReference: undefined,
    reference: undefined,
  };
  return service.app.get(Reads).together(async (ask) => {
    const { newer, summed, older } = await ask(theRow<Counts>(countMatching(wanted)));
    const counted = sql`
      select count(*)::integer as counted from session
      where ${matchingRows(wanted)} and created_at >= ${wanted.from} and created_at < ${wanted.to}`;
    return { summed: newer + summed + older, ...(await ask(theRow<{ counted: number }>(counted))) };
  });
}

it('is exact at every moment while sessions begin, come late, are moved and deleted, and two processes count', async () => {
  const { tenant, first } = await makeFirst();
  const chance = dice(4);
  let isOver = false;
  const during = async (work: () => Promise<unknown>) => {
    while (!isOver) await work();
  };
  const some = (condition: string) =>
    `where id in (select id from session where ${condition} and app_id = $1 and id <> $2
                  order by random() limit 7 for update skip locked)`;
  const change = (text: string) => service.database.rows(text, [tenant.appId, first]);
  const day = { general: new Date(Date.now() - 15 * DAY), ofProjects: new Map<string, Date>() };
  const sweep = { statements: service.app.get(Statements), cutoffs: day, hasTime: () => true };
  const background = Promise.all([
    during(() => makeSession(tenant, [user('somebody')])),
    during(() => insertLike(service, first, randomSessions(chance, 10))),
    during(() => change(`delete from session ${some('true')}`)),
    during(() => change(`update session set created_at = created_at - interval '2 hours' ${some('true')}`)),
    during(() => change(`update session set source = 'MP' ${some(`source = 'AP'`)}`)),
    during(async () => {
      await change(
        `update session set status = 'terminated', ended_at = created_at, closed_at = created_at ${some('ended_at is null')}`,
      );
      await sessionRetention.sweep.run(sweep);
    }),
    during(() => count(service)),
    during(() => count(service)),
  ]);
  try {
    for (let round = 0; round < 4; round += 1) {
      // Deletes all sums, so that much is counted again. The locks keep other transactions from writing meanwhile.
      await database.transaction(SYSTEM, async (tx) => {
        await eventually(() => tx.ask(counts.tryLock()));
        await tx.em.execute(`set local lock_timeout = '20s'`);
        await tx.em.execute('lock table session, session_count in share mode');
        await tx.em.execute('delete from session_count');
        await tx.em.execute(`update session_counting set counted_until = '-infinity'`);
      });
      for (let look = 0; look < 30; look += 1) {
        const { summed, counted } = await bothWays(tenant, chance);
        expect(summed).toBe(counted);
      }
    }
  } finally {
    isOver = true;
    await background;
  }
  await expectExact(tenant, chance, 10);
});

it('counts old sessions in steps, and is exact after each', async () => {
  const { tenant, first } = await makeFirst();
  const chance = dice(5);
  await insertLike(service, first, randomSessions(chance, 300));
  await forgetCounts(service);
  const moment = new Date(Date.now() - 6 * MINUTE);
  let steps = 0;
  const step = () =>
    database.transaction(SYSTEM, async (tx) => (await tx.ask(counts.tryLock())) && tx.ask(counts.countSome(moment)));
  for (; await step(); steps += 1) if (steps % 5 === 0) await expectExact(tenant, chance, 2);
  expect(steps).toBeGreaterThan(12);
  await expectExact(tenant, chance, 20);
  const [{ counted } = { counted: 0 }] = await service.database.rows<{ counted: number }>(
    `select sum(n)::integer as counted from session_count where app_id = $1 and not is_new`,
    [tenant.appId],
  );
  const before = new Date(Math.floor(moment.getTime() / SLOT_MS) * SLOT_MS).toISOString();
  expect((await list(tenant, { ...EVER, end_time: before })).body.total_count).toBe(counted);
});

it('is exact if sessions are deleted before they are counted, and keeps no sums of them', async () => {
  const { tenant, first } = await makeFirst();
  await insertLike(service, first, randomSessions(dice(6), 100));
  await forgetCounts(service);
  await service.database.rows(`delete from session where app_id = $1 and source = 'AP' and id <> $2`, [
    tenant.appId,
    first,
  ]);
  await expectExact(tenant, dice(7), 5);
  await count(service);
  await expectExact(tenant, dice(8), 10);
  await service.database.rows(`delete from session where app_id = $1`, [tenant.appId]);
  expect((await list(tenant, EVER)).body).toEqual({ sessions: [], total_count: 0 });
  await addUp(service);
  expect(await sums(service, tenant.appId)).toEqual([]);
});

it('subtracts the sessions of an erased user', async () => {
  const { tenant, first } = await makeFirst();
  const stays = await makeSession(tenant, [user('another')]);
  await insertLike(service, first, randomSessions(dice(9), 30));
  await count(service);
  expect((await list(tenant, EVER)).body.total_count).toBe(32);
  const admin = administratorOf(service);
  const users = `/api/admin/v1/apps/${tenant.appId}/users`;
  const found = await admin.get<{ data: { userId: string }[] }>(users, { query: { reference: 'somebody' } });
  await admin.post(`${users}/${found.body.data[0]!.userId}/erasure`);
  const { body } = await eventually(
    () => list(tenant, EVER),
    (answer) => answer.body.total_count === 1,
  );
  expect(body.sessions.map(({ session_id: id }) => id)).toEqual([stays.sessionId]);
});

it('deletes the sums of an app with the app', async () => {
  const { first } = await makeFirst();
  const appId = newId('app');
  await service.database.rows(
    `insert into app (id, project_id, name, created_at) select $1, project_id, 'x', now() from session where id = $2`,
    [appId, first],
  );
  const sessions = randomSessions(dice(10), 20);
  await insertLike(service, first, sessions);
  await service.database.rows('update session set app_id = $1 where id = any($2)', [
    appId,
    sessions.map(({ id }) => id),
  ]);
  await count(service);
  expect(await sums(service, appId)).not.toEqual([]);
  await service.database.rows('delete from app where id = $1', [appId]);
  expect(await sums(service, appId)).toEqual([]);
});

/** Whether the counting has checked for earlier transactions that still write. */
async function looksSince(time: Date): Promise<boolean> {
  const looks = await service.database.rows(
    `select from pg_stat_activity
     where datname = current_database() and query like '%pg_snapshot_xmin%' and pid <> pg_backend_pid()
       and state = 'idle' and query_start > $1`,
    [time],
  );
  return looks.length > 0;
}

it('counts nothing while an earlier transaction may still write', async () => {
  const { tenant, first } = await makeFirst();
  await insertLike(service, first, randomSessions(dice(11), 20));
  await forgetCounts(service);
  const writing = await service.database.openTransaction(`update session set turns = 1 where id = $1`, [first]);
  const begun = new Date();
  const counting = count(service);
  await eventually(() => looksSince(begun));
  expect(await sums(service, tenant.appId)).toEqual([]);
  await writing.commit();
  await counting;
  expect(await sums(service, tenant.appId)).not.toEqual([]);
});
