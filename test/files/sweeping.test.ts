import { UploadsService } from '../../src/modules/files/uploads.service.js';
import { newId } from '../../src/kernel/ids.js';
import { retentionRules } from '../../src/platform/retention/retention-rule.js';
import { Statements } from '../../src/platform/database/statements.js';
import { StoredObjects } from '../../src/platform/storage/stored-objects.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { atTime, DAY, HOUR, MINUTE } from '../support/clock.js';
import { startService } from '../support/service.js';
import {
  abandon,
  complete,
  open,
  progressOf,
  reservedBytes,
  sendChunk,
  sendChunks,
  SESSIONS,
  startedUpload,
  upload,
} from './files.js';
import { Store } from './store.js';

// This service runs no jobs, so that each test decides when the sweep runs.
const service = await startService({ SLIPWAY_ROLE: 'api' });
const store = new Store(service.settings, service.database);
const objects = service.app.get(StoredObjects);
let tenant: Tenant;
beforeEach(async () => (tenant = await makeTenant(service)));
afterAll(() => service.stop());

const sweepAt = (milliseconds: number) => atTime(milliseconds, () => objects.sweep(new AbortController().signal));

async function expireAt(milliseconds: number): Promise<void> {
  await atTime(milliseconds, async () => {
    while (await service.app.get(UploadsService).expireSome());
  });
}

it('the sweep removes replaced and abandoned chunks after ten minutes', async () => {
  const sessionId = await startedUpload(tenant.api);
  await sendChunks(tenant.api, sessionId, { 0: 'aa', 1: 'bb' });
  await sendChunks(tenant.api, sessionId, { 0: 'AA' });
  await abandon(tenant.api, sessionId);
  await sweepAt(Date.now() + 9 * MINUTE);
  expect(await store.unkept()).toHaveLength(3);
  expect(await store.names()).toHaveLength(3);
  expect(await sweepAt(Date.now() + 11 * MINUTE)).toBe(3);
  await store.untilNothingIsLeft();
  expect(await reservedBytes(service.database, tenant)).toBe(0);
});

it('an upload that expires releases its chunks and its reservation', async () => {
  const sessionId = await startedUpload(tenant.api);
  await sendChunks(tenant.api, sessionId, { 0: 'aa' });
  expect(await reservedBytes(service.database, tenant)).toBe(6);
  await expireAt(Date.now() + DAY - HOUR);
  expect((await progressOf(tenant.api, sessionId)).body.receivedChunks).toEqual([0]);

  await expireAt(Date.now() + DAY);
  await sweepAt(Date.now() + DAY + HOUR);
  await store.untilNothingIsLeft();
  expect(await reservedBytes(service.database, tenant)).toBe(0);
  await atTime(Date.now() + 2 * DAY, async () => {
    expect((await progressOf(tenant.api, sessionId)).outcome).toBe('410 UPLOAD_EXPIRED');
  });
});

it('a completed upload does not expire, and its file stays when retention deletes the upload', async () => {
  const sessionId = await startedUpload(tenant.api);
  await sendChunks(tenant.api, sessionId, { 0: 'aa', 1: 'bb', 2: 'cc' });
  const { url } = (await complete(tenant.api, sessionId)).body;
  await expireAt(Date.now() + 2 * DAY);
  await sweepAt(Date.now() + 3 * DAY);
  expect((await open(url)).bytes.toString()).toBe('aabbcc');

  const rule = retentionRules().find(({ name }) => name === 'uploads')!;
  const statements = service.app.get(Statements);
  const applyRetention = (general: number) =>
    rule.sweep.run({
      statements,
      cutoffs: { general: new Date(general), ofProjects: new Map() },
      hasTime: () => true,
    });
  await applyRetention(Date.now() + DAY - HOUR);
  expect((await progressOf(tenant.api, sessionId)).body.status).toBe('completed');
  await applyRetention(Date.now() + DAY + HOUR);
  expect((await progressOf(tenant.api, sessionId)).outcome).toBe('404 UPLOAD_NOT_FOUND');
  expect((await open(url)).bytes.toString()).toBe('aabbcc');
});

it('retention keeps an upload that still has its reservation', async () => {
  const sessionId = await startedUpload(tenant.api);
  const rule = retentionRules().find(({ name }) => name === 'uploads')!;
  const cutoffs = { general: new Date(Date.now() + 30 * DAY), ofProjects: new Map() };
  await rule.sweep.run({ statements: service.app.get(Statements), cutoffs, hasTime: () => true });
  expect((await progressOf(tenant.api, sessionId)).outcome).toBe('200');
});

it('the sweep removes an object that was never kept after an hour', async () => {
  const name = await objects.write(
    (async function* () {
      yield Buffer.from('nobody wants this');
    })(),
  );
  expect(await sweepAt(Date.now() + 59 * MINUTE)).toBe(0);
  expect(await store.names()).toContain(name);
  expect(await sweepAt(Date.now() + 61 * MINUTE)).toBe(1);
  expect(await store.names()).not.toContain(name);
});

it('a refused chunk leaves nothing', async () => {
  expect((await sendChunk(tenant.api, newId('uploadSession'), 0, 'aa')).outcome).toBe('404 UPLOAD_NOT_FOUND');
  const sessionId = await startedUpload(tenant.api);
  const form = { chunkNumber: '0' };
  expect((await tenant.api.send('POST', `${SESSIONS}/${sessionId}`, { form })).outcome).toBe('400 VALIDATION_ERROR');
  expect(await store.unkept()).toEqual([]);
});

it('the sweep finishes a removal during which a process died', async () => {
  // A process that dies while it removes an object leaves this row without the object.
  await service.database.rows(`insert into unkept_object values ($1, now() - interval '1 minute', true)`, [
    newId('storedObject'),
  ]);
  expect(await sweepAt(Date.now())).toBe(1);
  expect(await store.unkept()).toEqual([]);
});

it('one sweep removes many objects', async () => {
  const rows = Array.from({ length: 250 }, () => newId('storedObject'));
  await service.database.rows('insert into unkept_object select name, now() from unnest($1::text[]) as name', [rows]);
  expect(await sweepAt(Date.now() + MINUTE)).toBe(250);
});

it('a sweep never removes an object that is kept at the same time', async () => {
  const uploads = Array.from({ length: 20 }, (_, at) => upload(tenant.api, { content: `content ${at}` }));
  const sweeps = Array.from({ length: 20 }, () => sweepAt(Date.now()));
  const [answers] = await Promise.all([Promise.all(uploads), Promise.all(sweeps)]);
  for (const [at, { body }] of answers.entries()) {
    expect((await open(body.url)).bytes.toString()).toBe(`content ${at}`);
  }
});
