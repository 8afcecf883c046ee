import { readSettings } from '../../src/platform/config/settings.js';
import { defineSealed } from '../../src/platform/crypto/sealed-column.js';
import { Vault } from '../../src/platform/crypto/vault.js';
import { administratorOf } from '../support/actors.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { untilWaiting } from '../support/running.js';
import { startService } from '../support/service.js';
import { randomMasterKey, settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

const FIRST = `1:${randomMasterKey()}`;
const SECOND = `2:${randomMasterKey()}`;
const THIRD = `3:${randomMasterKey()}`;

const settings = settingsFor(await createDatabase());
const database = new TestDatabase(settings.DATABASE_URL!);
await database.rows('create table safe (id text collate "C" primary key, content_sealed text)');
const safe = defineSealed({ table: 'safe', column: 'content_sealed' });

const service = await startService({ ...settings, SLIPWAY_MASTER_KEYS: `${FIRST},${SECOND},${THIRD}:standby` });
const admin = administratorOf(service);
afterAll(async () => {
  await service.stop();
  await database.end();
});
afterEach(() => database.rows('truncate safe'));

const PATH = '/api/admin/v1/master-keys';

interface MasterKey {
  number: number;
  state: string;
  records: number;
}

const vaultWith = (...keys: string[]) => new Vault(readSettings({ ...settings, SLIPWAY_MASTER_KEYS: keys.join(',') }));
const first = vaultWith(FIRST);
const second = vaultWith(SECOND);

async function store(id: string, text: string, vault = first): Promise<void> {
  await database.rows('insert into safe values ($1, $2)', [id, vault.seal(text, safe, id)]);
}

async function stored(id: string): Promise<string> {
  const [row] = await database.rows<{ content_sealed: string }>('select content_sealed from safe where id = $1', [id]);
  return row!.content_sealed;
}

async function recordsByKey(): Promise<Record<number, number>> {
  const { body } = await admin.get<{ data: MasterKey[] }>(PATH);
  return Object.fromEntries(body.data.map(({ number, records }) => [number, records]));
}

async function startRewrap(): Promise<string> {
  const { body } = await admin.post<{ data: { jobId: string; masterKey: number } }>(`${PATH}/rewrap`);
  expect(body.data.masterKey).toBe(2);
  return body.data.jobId;
}

interface Job {
  state: string;
  attempt: number;
  error: string | null;
  progress: { rewrapped: number; unreadable: number } | null;
}

async function job(id: string): Promise<Job> {
  const [row] = await database.rows<Job>('select state, attempt, error, progress from job where id = $1', [id]);
  return row!;
}

const untilDone = (id: string) =>
  eventually(
    () => job(id),
    ({ state }) => state === 'done',
  );

it('lists the keys by number, never their values', async () => {
  await store('r-1', 'x');
  await store('r-2', 'x', second);
  await store('r-3', 'x', vaultWith(`9:${randomMasterKey()}`));
  const { body, text } = await admin.get(PATH);
  expect(body).toMatchObject({
    data: [
      { number: 1, state: 'opening', records: 1 },
      { number: 2, state: 'sealing', records: 1 },
      { number: 3, state: 'opening', records: 0 },
      { number: 9, state: 'missing', records: 1 },
    ],
  });
  for (const key of [FIRST, SECOND, THIRD]) expect(text).not.toContain(key.split(':')[1]!.slice(0, 8));
});

it('wraps everything under the key that seals, so that the older ones can go', async () => {
  const ids = Array.from({ length: 450 }, (_, at) => `r-${at}`);
  await Promise.all(ids.map((id) => store(id, `text of ${id}`)));
  await database.rows(`insert into safe values ('r-empty', null)`);
  expect(await recordsByKey()).toMatchObject({ 1: 450, 2: 0 });
  expect((await untilDone(await startRewrap())).progress).toEqual({ rewrapped: 450, unreadable: 0 });
  expect(await recordsByKey()).toMatchObject({ 1: 0, 2: 450 });
  for (const id of ids) expect(second.open(await stored(id), safe, id)).toBe(`text of ${id}`);
});

it('leaves what this key already seals unchanged', async () => {
  await store('r-1', 'x', second);
  const before = await stored('r-1');
  expect((await untilDone(await startRewrap())).progress).toEqual({ rewrapped: 0, unreadable: 0 });
  expect(await stored('r-1')).toBe(before);
});

it('skips what cannot be opened, counts it, and continues', async () => {
  await store('r-1', 'x');
  await store('r-2', 'x');
  await store('r-4', 'x');
  await database.rows(`insert into safe select 'r-3', content_sealed from safe where id = 'r-1'`);
  await database.rows(`update safe set content_sealed = 'v1.1.AAAA.AAAA' where id = 'r-2'`);
  const moved = await stored('r-3');
  expect((await untilDone(await startRewrap())).progress).toEqual({ rewrapped: 2, unreadable: 2 });
  expect(await stored('r-3')).toBe(moved);
  expect(second.open(await stored('r-4'), safe, 'r-4')).toBe('x');
});

it('keeps what is written at the same moment', async () => {
  await store('r-1', 'old');
  const newer = first.seal('new', safe, 'r-1');
  const writer = await database.openTransaction(`update safe set content_sealed = $1 where id = 'r-1'`, [newer]);
  const jobId = await startRewrap();
  await untilWaiting(database, 'update safe');
  await writer.commit();
  expect((await untilDone(jobId)).progress).toEqual({ rewrapped: 0, unreadable: 0 });
  expect(await stored('r-1')).toBe(newer);
});

it('does not bring back a record that is deleted at the same moment', async () => {
  await store('r-1', 'old');
  const writer = await database.openTransaction(`delete from safe where id = 'r-1'`);
  const jobId = await startRewrap();
  await untilWaiting(database, 'update safe');
  await writer.commit();
  await untilDone(jobId);
  expect(await database.rows('select from safe')).toHaveLength(0);
});

it('begins again after a failure and does the rest', async () => {
  await store('r-1', 'x');
  await store('r-2', 'x');
  const held = await database.openTransaction(`select from safe where id = 'r-2' for update`);
  const jobId = await startRewrap();
  await eventually(
    () => job(jobId),
    ({ error }) => error !== null,
  );
  expect(await recordsByKey()).toMatchObject({ 1: 1, 2: 1 });
  await held.commit();
  const done = await untilDone(jobId);
  expect(done.attempt).toBeGreaterThan(1);
  expect(done.progress).toEqual({ rewrapped: 2, unreadable: 0 });
  expect(await recordsByKey()).toMatchObject({ 1: 0, 2: 2 });
});

it('waits for a worker that has the key', async () => {
  await store('r-1', 'x');
  await database.rows(
    `insert into job (id, name, lane, data, state, run_at, created_at)
     values ('j-ahead', 'crypto.rewrap', 'ahead', '{"masterKey": 3}', 'queued', now(), now())`,
  );
  const { error } = await eventually(
    () => job('j-ahead'),
    (now) => now.error !== null,
  );
  expect(error).toBe('This worker seals under master key 2, not 3');
  expect(await recordsByKey()).toMatchObject({ 1: 1 });
});
