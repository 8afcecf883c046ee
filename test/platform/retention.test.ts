import { Module } from '@nestjs/common';
import { AppModule } from '../../src/app.module.js';
import { SYSTEM } from '../../src/kernel/actor.js';
import { newId } from '../../src/kernel/ids.js';
import { Database } from '../../src/platform/database/database.js';
import { Jobs } from '../../src/platform/queue/jobs.js';
import { oldRows } from '../../src/platform/retention/old-rows.js';
import { defineRetention } from '../../src/platform/retention/retention-rule.js';
import { sweepRetention } from '../../src/platform/retention/retention.jobs.js';
import { administratorOf, makeProject, makeTenant } from '../support/actors.js';
import { DAY, HOUR } from '../support/clock.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';

/** A retention as a module declares it, for rows that are kept for hours. */
defineRetention({
  name: 'test.notes',
  holds: 'Notes of this test',
  keep: { hours: 24 },
  sweep: oldRows({ table: 'note', time: 'at' }),
});

/** A retention of a module that deletes its rows in its own way. */
const dropped: Date[] = [];
let dropping: () => number = () => 0;
defineRetention({
  name: 'test.dropping',
  holds: 'Partitions of this test',
  keep: { days: 30 },
  perProject: { minDays: 10, maxDays: 100 },
  sweep: {
    tables: [],
    run: async ({ cutoffs }) => {
      dropped.push(cutoffs.general, ...cutoffs.ofProjects.values());
      return dropping();
    },
  },
});

@Module({ imports: [AppModule] })
class Root {}

const service = await startService({}, Root);
const admin = administratorOf(service);
await service.database.rows('create table note (text text, at timestamptz)');
afterAll(() => service.stop());

const pathOf = (projectId: string) => `/api/admin/v1/projects/${projectId}/retention`;

interface Period {
  name: string;
  days: number;
  defaultDays: number;
}

interface Job {
  state: string;
  error: string | null;
  progress: Record<string, number> | null;
}

const jobOf = async (id: string) =>
  (await service.database.rows<Job>('select state, error, progress from job where id = $1', [id]))[0]!;

async function startSweep(): Promise<string> {
  const database = service.app.get(Database);
  const jobs = service.app.get(Jobs);
  return database.apart(() => database.transaction(SYSTEM, (tx) => jobs.add(tx, sweepRetention, {})));
}

/** Runs a sweep and returns how many rows of each kind it has deleted. */
async function sweep(): Promise<Record<string, number>> {
  const id = await startSweep();
  const { progress } = await eventually(
    () => jobOf(id),
    ({ state }) => state === 'done',
  );
  return progress!;
}

const ago = (milliseconds: number) => new Date(Date.now() - milliseconds);

/** Makes an entry of that age, as an earlier day would have left it. */
async function makeEntry(projectId: string | null, ageDays: number): Promise<string> {
  const id = newId('auditEntry');
  await service.database.rows(
    `insert into audit_entry (id, at, actor_id, actor_kind, actor_label, kind, target_id, project_id, change)
     values ($1, $2, 'system', 'system', 'system', 'test', 'test', $3, 'created')`,
    [id, ago(ageDays * DAY), projectId],
  );
  return id;
}

async function leftOf(ids: string[]): Promise<string[]> {
  const rows = await service.database.rows<{ id: string }>('select id from audit_entry where id = any($1)', [ids]);
  return rows.map(({ id }) => id).sort();
}

it('removes what is older than its period and nothing else', async () => {
  const projectId = await makeProject(service);
  const old = [await makeEntry(projectId, 401), await makeEntry(null, 401), await makeEntry(null, 4000)];
  const young = [await makeEntry(projectId, 399), await makeEntry(null, 399), await makeEntry(projectId, 0)];
  await sweep();
  expect(await leftOf([...old, ...young])).toEqual([...young].sort());
});

it('keeps the entries of a project for as long as the project says, shorter or longer', async () => {
  const [brief, long, other] = await Promise.all([makeProject(service), makeProject(service), makeProject(service)]);
  await admin.put(pathOf(brief), { days: { audit: 30 } });
  await admin.put(pathOf(long), { days: { audit: 1000 } });
  const ages = [29, 31, 399, 401, 999, 1001];
  const idsOf = (projectId: string) => Promise.all(ages.map((age) => makeEntry(projectId, age)));
  const ids = { brief: await idsOf(brief), long: await idsOf(long), other: await idsOf(other) };
  await sweep();
  expect(await leftOf(ids.brief)).toEqual(ids.brief.slice(0, 1).sort());
  expect(await leftOf(ids.long)).toEqual(ids.long.slice(0, 5).sort());
  expect(await leftOf(ids.other)).toEqual(ids.other.slice(0, 3).sort());

  await admin.put(pathOf(long), { days: { audit: null } });
  await sweep();
  expect(await leftOf(ids.long)).toEqual(ids.long.slice(0, 3).sort());
});

it('keeps rows for hours if their rule says so', async () => {
  const times = [23 * HOUR, 25 * HOUR].map(ago);
  await service.database.rows('insert into note select at::text, at from unnest($1::timestamptz[]) at', [times]);
  await sweep();
  expect(await service.database.rows('select at from note')).toEqual([{ at: times[0] }]);
});

it('removes ended jobs after a week, and none that has not ended', async () => {
  await service.database.rows(
    `insert into job (id, name, lane, data, state, run_at, created_at, finished_at)
     select 'j-' || state || days, 'access.finish-revocation', state || days, '{}', state, now() + interval '1 day',
            now(), case when state <> 'queued' then now() - make_interval(days => days) end
     from unnest(array['done', 'failed', 'queued']) state, unnest(array[6, 8]) days`,
  );
  await sweep();
  const rows = await service.database.rows<{ id: string }>(
    `select id from job where id ~ '^j-[a-z]+[68]$' order by id`,
  );
  expect(rows.map(({ id }) => id)).toEqual(['j-done6', 'j-failed6', 'j-queued6', 'j-queued8']);
});

it('removes thousands in small statements, past those that others keep', async () => {
  const keeper = await makeProject(service);
  await admin.put(pathOf(keeper), { days: { audit: 3650 } });
  await service.database.rows(
    `insert into audit_entry (id, at, actor_id, actor_kind, actor_label, kind, target_id, project_id, change)
     select 'au-many' || n, now() - make_interval(days => 500, mins => n), 'system', 'system', 'system', 'test', 'test',
            case when n % 2 = 0 then $1 end, 'created'
     from generate_series(1, 6000) n`,
    [keeper],
  );
  await sweep();
  const [left] = await service.database.rows<{ count: number }>(
    `select count(*)::int as count from audit_entry where id like 'au-many%'`,
  );
  expect(left!.count).toBe(3000);
});

it('leaves a locked row to the next run', async () => {
  const [held, free] = [await makeEntry(null, 500), await makeEntry(null, 500)];
  const locking = await service.database.openTransaction('select from audit_entry where id = $1 for update', [held]);
  await sweep();
  expect(await leftOf([held, free])).toEqual([held]);
  await locking.commit();
  await sweep();
  expect(await leftOf([held, free])).toEqual([]);
});

it('gives a sweep of another kind its cutoffs', async () => {
  const projectId = await makeProject(service);
  await admin.put(pathOf(projectId), { days: { 'test.dropping': 10 } });
  dropped.length = 0;
  dropping = () => 7;
  expect(await sweep()).toMatchObject({ 'test.dropping': 7 });
  const days = dropped.map((cutoff) => Math.round((Date.now() - cutoff.getTime()) / DAY));
  expect(days.slice(0, 2)).toEqual([30, 10]);
});

it('follows all other rules when one fails, names it, and is run again', async () => {
  await service.database.rows('insert into note values ($1, $2)', ['old', ago(3 * DAY)]);
  dropping = () => {
    throw new Error('on purpose');
  };
  const id = await startSweep();
  const failed = await eventually(
    () => jobOf(id),
    ({ error }) => error !== null,
  );
  dropping = () => 0;
  expect(failed.error).toBe('The sweeper could not delete everything: test.dropping: on purpose');
  expect(await service.database.rows(`select from note where text = 'old'`)).toEqual([]);
  await eventually(
    () => jobOf(id),
    ({ state }) => state === 'done',
  );
});

describe('the periods of a project', () => {
  async function periodsOf(projectId: string): Promise<Record<string, Period>> {
    const { body } = await admin.get<{ data: Period[] }>(pathOf(projectId));
    return Object.fromEntries(body.data.map((period) => [period.name, period]));
  }

  it('are the defaults until it changes them, and again when it restores them', async () => {
    const projectId = await makeProject(service);
    expect((await periodsOf(projectId)).audit).toEqual({
      name: 'audit',
      holds: 'Audit entries',
      days: 400,
      defaultDays: 400,
      minDays: 30,
      maxDays: 3650,
    });
    await admin.put(pathOf(projectId), { days: { audit: 90 } });
    await admin.put(pathOf(projectId), { days: { 'test.dropping': 20 } });
    expect(await periodsOf(projectId)).toMatchObject({ audit: { days: 90 }, 'test.dropping': { days: 20 } });
    await admin.put(pathOf(projectId), { days: { audit: null } });
    expect(await periodsOf(projectId)).toMatchObject({ audit: { days: 400 }, 'test.dropping': { days: 20 } });
    expect((await periodsOf(await makeProject(service))).audit).toMatchObject({ days: 400 });
  });

  it('do not include what all projects keep alike', async () => {
    const listed = Object.keys(await periodsOf(await makeProject(service)));
    expect(listed).toEqual(expect.arrayContaining(['audit', 'test.dropping']));
    expect(listed).not.toContain('jobs');
  });

  it.each([
    [{ audit: 29 }, ['days.audit']],
    [{ audit: 3651 }, ['days.audit']],
    [{ audit: 0 }, ['days.audit']],
    [{ audit: 30.5 }, ['days.audit']],
    [{ audit: '30' }, ['days.audit']],
    [{ nothing: 30, audit: 1, 'test.dropping': 10 }, ['days.nothing', 'days.audit']],
    [{ jobs: 30 }, ['days.jobs']],
  ])('refuse %j and change nothing', async (days, paths) => {
    const projectId = await makeProject(service);
    const answer = await admin.put(pathOf(projectId), { days });
    expect(answer).toMatchObject({ outcome: '400 VALIDATION_ERROR', faults: paths });
    expect(await periodsOf(projectId)).toMatchObject({ audit: { days: 400 }, 'test.dropping': { days: 30 } });
  });

  it('are taken at their bounds', async () => {
    const projectId = await makeProject(service);
    for (const audit of [30, 3650]) {
      expect((await admin.put(pathOf(projectId), { days: { audit } })).outcome).toBe('200');
      expect((await periodsOf(projectId)).audit).toMatchObject({ days: audit });
    }
  });

  it('are in the audit, and only where they changed', async () => {
    const projectId = await makeProject(service);
    const entriesOf = async (days: Record<string, number | null>) => {
      const { headers } = await admin.put(pathOf(projectId), { days });
      const requestId = headers.get('x-request-id');
      return service.database.rows('select kind, before, after from audit_entry where request_id = $1', [requestId]);
    };
    const kind = 'retention';
    expect(await entriesOf({ audit: 90 })).toEqual([{ kind, before: { audit: null }, after: { audit: 90 } }]);
    expect(await entriesOf({ audit: 90, 'test.dropping': 30 })).toEqual([
      { kind, before: { 'test.dropping': null }, after: { 'test.dropping': 30 } },
    ]);
    expect(await entriesOf({ audit: 90 })).toEqual([]);
  });

  it('are deleted with the project', async () => {
    const projectId = await makeProject(service);
    await admin.put(pathOf(projectId), { days: { audit: 90 } });
    expect((await admin.delete(`/api/admin/v1/projects/${projectId}`)).outcome).toBe('200');
    expect(await service.database.rows('select from project_retention where project_id = $1', [projectId])).toEqual([]);
  });

  it('can only be changed by the administration', async () => {
    const { projectId, api } = await makeTenant(service);
    expect((await api.get(pathOf(projectId))).outcome).toBe('401 API_KEY_INVALID');
  });
});

it('refuses periods of projects whose default is not in days', () => {
  const rule = { name: 'x', holds: 'x', sweep: oldRows({ table: 'x', time: 'at' }) };
  const bounds = { minDays: 1, maxDays: 2 };
  expect(() => defineRetention({ ...rule, keep: { hours: 1 }, perProject: bounds })).toThrow(/in days/);
});

it('refuses periods of projects for rows without a project', () => {
  const rule = { name: 'x', holds: 'x', keep: { days: 1 }, perProject: { minDays: 1, maxDays: 2 } };
  expect(() => defineRetention({ ...rule, sweep: oldRows({ table: 'x', time: 'at' }) })).toThrow(
    'The retention x has perProject, so oldRows needs the column of the project.',
  );
});
