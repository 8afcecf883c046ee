import { makeTenant, type Tenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { atTime, DAY } from '../support/clock.js';
import { startService } from '../support/service.js';
import { CONTENTS } from './contents.js';
import { abandon, complete, FILES, progressOf, reservedBytes, startedUpload } from './files.js';
import {
  contentOf,
  continuation,
  createdTus,
  createTus,
  creation,
  head,
  idOf,
  patch,
  partSizesOf,
  terminate,
  TUS,
  TUS_ROUTE,
} from './tus.js';

const service = await startService();
let tenant: Tenant;
let api: Tenant['api'];
beforeEach(async () => ({ api } = tenant = await makeTenant(service)));
afterAll(() => service.stop());

const MiB = 1024 * 1024;

describe('an upload over tus', () => {
  it('is created, continued and read as a file', async () => {
    const created = await createTus(api, creation(6, { filename: 'parts.txt', fileContext: 'bulkImport' }));
    expect(created.outcome).toBe('201');
    const address = created.headers.get('location')!;
    expect(address).toMatch(/^\/api\/public\/files\/tus\/us-[0-9A-Za-z]{22}$/);
    expect(Math.abs(Date.parse(created.headers.get('upload-expires')!) - Date.now() - DAY)).toBeLessThan(10_000);

    const first = await patch(api, address, 0, 'aabb');
    expect(first.outcome).toBe('204');
    expect(first.headers.get('upload-offset')).toBe('4');
    expect(first.headers.has('slipway-file-id')).toBe(false);
    const second = await patch(api, address, 4, 'cc');
    expect(second.outcome).toBe('204');
    expect(second.headers.get('upload-offset')).toBe('6');
    expect(second.headers.get('slipway-file-id')).toMatch(/^f-/);
    expect(await contentOf(api, second)).toBe('aabbcc');
  });

  it('says in each answer which version it is in, also in refusals', async () => {
    const address = await createdTus(api);
    const answers = [
      await api.send('OPTIONS', TUS_ROUTE),
      await head(api, address),
      await patch(api, address, 1, 'a'),
      await createTus(new Client(service.url)),
      await api.put(TUS_ROUTE),
      await terminate(api, address),
      await head(api, address),
    ];
    expect(answers.map(({ status }) => status)).toEqual([204, 200, 409, 401, 405, 204, 404]);
    for (const { headers } of answers) expect(headers.get('tus-resumable')).toBe('1.0.0');
  });

  it('can be discovered', async () => {
    const { headers } = await api.send('OPTIONS', TUS_ROUTE);
    expect(headers.get('tus-version')).toBe('1.0.0');
    expect(headers.get('tus-extension')).toBe('creation,creation-with-upload,checksum,expiration,termination');
    expect(headers.get('tus-max-size')).toBe(String(50 * 1024 * MiB));
    expect(headers.get('tus-checksum-algorithm')).toBe('sha1,sha256');
  });

  it('answers HEAD with its progress and its metadata, which nothing may cache', async () => {
    const pairs = { note: '', filename: 'größe.txt' };
    const address = await createdTus(api, 6, pairs);
    await patch(api, address, 0, 'abc');
    const { outcome, headers } = await head(api, address);
    expect(outcome).toBe('200');
    expect(headers.get('upload-offset')).toBe('3');
    expect(headers.get('upload-length')).toBe('6');
    expect(headers.get('upload-metadata')).toBe(creation(6, pairs)['upload-metadata']);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('is also an upload session, which takes no chunks with numbers', async () => {
    const address = await createdTus(api);
    await patch(api, address, 0, 'abc');
    const { body } = await progressOf(api, idOf(address));
    expect(body).toMatchObject({ status: 'open', receivedBytes: 3, receivedChunks: [0], missingChunks: [1] });
    const early = await complete(api, idOf(address));
    expect(early.outcome).toBe('409 UPLOAD_TAKES_NO_CHUNKS');
    expect(early.text).toContain(`It has 3 of them; send those that follow with PATCH ${address}.`);
    await patch(api, address, 3, 'def');
    const { body: done } = await progressOf(api, idOf(address));
    expect(done).toMatchObject({ status: 'completed', receivedChunks: [0, 1], missingChunks: [] });
    expect((await complete(api, idOf(address))).outcome).toBe('200');

    const other = await createdTus(api);
    expect((await abandon(api, idOf(other))).outcome).toBe('200');
    expect((await head(api, other)).outcome).toBe('404 UPLOAD_NOT_FOUND');
    const chunked = await startedUpload(api);
    expect((await head(api, `${TUS_ROUTE}/${chunked}`)).outcome).toBe('404 UPLOAD_NOT_FOUND');
  });

  it('starts the import of a model with its last byte', async () => {
    const address = await createdTus(api, 24, { filename: 'tiny.gguf', filecontext: 'model', isAdapter: 'false' });
    const { headers } = await patch(api, address, 0, CONTENTS.gguf!);
    expect(headers.get('slipway-model-id')).toMatch(/^cm-/);
    expect(headers.get('slipway-dock-status-id')).toMatch(/^ds-/);
  });

  it('is completed by HEAD if the process died after the last byte', async () => {
    const address = await createdTus(api);
    await patch(api, address, 0, 'abcdef');
    await service.database.rows('update upload_session set file_id = null where id = $1', [idOf(address)]);
    await service.database.rows('delete from file where content_id = $1', [idOf(address)]);
    expect(await contentOf(api, await head(api, address))).toBe('abcdef');
  });

  it('with a content of another type is refused and deleted at its end', async () => {
    const address = await createdTus(api, 6, { filename: 'a.png' });
    expect(await reservedBytes(service.database, tenant)).toBe(6);
    expect((await patch(api, address, 0, 'no png')).outcome).toBe('400 FILE_CONTENT_MISMATCH');
    expect(await reservedBytes(service.database, tenant)).toBe(0);
    expect(await partSizesOf(service.database, address)).toEqual([]);
    expect((await head(api, address)).outcome).toBe('404 UPLOAD_NOT_FOUND');
  });
});

it('reads its method from X-HTTP-Method-Override, which no other route does', async () => {
  const address = await createdTus(api);
  const as = (method: string) => ({ 'x-http-method-override': method });
  const sent = await api.send('POST', address, { headers: continuation(0, as('PATCH')), rawBody: 'abc' });
  expect(sent.outcome).toBe('204');
  const asked = await api.send('POST', address, { headers: { ...TUS, ...as('HEAD') } });
  expect(asked.headers.get('upload-offset')).toBe('3');
  // It has no bytes, so that nothing of it waits to be swept.
  const empty = await createdTus(api);
  const outcomeOf = async (method: string) =>
    (await api.send('POST', empty, { headers: { ...TUS, ...as(method) } })).outcome;
  expect(await outcomeOf('GET')).toBe('405 METHOD_NOT_ALLOWED');
  expect(await outcomeOf('DELETE')).toBe('204');
  expect(await outcomeOf('HEAD')).toBe('404 UPLOAD_NOT_FOUND');
  const chunked = await startedUpload(api);
  const other = await api.send('POST', `${FILES}/session/${chunked}`, { headers: as('DELETE') });
  expect(other.outcome).toBe('415 UNSUPPORTED_MEDIA_TYPE');
});

it('takes the checks of every upload: the room of the project', async () => {
  const sql = 'insert into project_storage values ($1, $2)';
  await service.database.rows(sql, [tenant.projectId, Number.MAX_SAFE_INTEGER]);
  expect((await createTus(api)).outcome).toBe('507 PROJECT_STORAGE_FULL');
  expect((await api.send('POST', TUS_ROUTE, { headers: { ...creation(), ...TUS } })).status).toBe(507);
});

it('an upload takes nothing after it has expired or was terminated, and nothing from strangers', async () => {
  const address = await createdTus(api);
  const stranger = (await makeTenant(service)).api;
  for (const ask of [head, terminate]) expect((await ask(stranger, address)).outcome).toBe('404 UPLOAD_NOT_FOUND');
  expect((await patch(stranger, address, 0, 'a')).outcome).toBe('404 UPLOAD_NOT_FOUND');
  await patch(api, address, 0, 'abc');
  await atTime(Date.now() + DAY, async () => {
    for (const ask of [head, terminate]) expect((await ask(api, address)).outcome).toBe('410 UPLOAD_EXPIRED');
    expect((await patch(api, address, 3, 'def')).outcome).toBe('410 UPLOAD_EXPIRED');
  });
  expect((await terminate(api, address)).outcome).toBe('204');
  expect((await patch(api, address, 3, 'def')).outcome).toBe('404 UPLOAD_NOT_FOUND');
  expect(await partSizesOf(service.database, address)).toEqual([]);
});
