import { makeTenant, type Tenant } from '../support/actors.js';
import { type Answer, Client, faultsAt } from '../support/client.js';
import { atTime, DAY } from '../support/clock.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { openRequest } from '../support/wire.js';
import { CONTENTS } from './contents.js';
import { abandon, complete, type FileLink, FILES, open, progressOf, startedUpload } from './files.js';
import { Store } from './store.js';
import {
  checksum,
  continuation,
  createdTus,
  createTus,
  creation,
  head,
  idOf,
  offsetOf,
  patch,
  terminate,
  TUS,
  TUS_ROUTE,
} from './tus.js';

const service = await startService();
const store = new Store(service.settings, service.database);
let tenant: Tenant;
let api: Tenant['api'];
beforeEach(async () => ({ api } = tenant = await makeTenant(service)));
afterAll(() => service.stop());

const MiB = 1024 * 1024;

async function contentOf(answer: Answer): Promise<string> {
  const { body } = await api.get<FileLink>(`${FILES}/${answer.headers.get('slipway-file-id')}`);
  return (await open(body.url)).bytes.toString();
}

async function partsOf(address: string): Promise<number[]> {
  const rows = await service.database.rows<{ size: string }>(
    'select size from file_part where content_id = $1 order by number',
    [idOf(address)],
  );
  return rows.map(({ size }) => Number(size));
}

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
    expect(await contentOf(second)).toBe('aabbcc');
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
    expect(headers.get('tus-extension')).toBe('creation,checksum,expiration,termination');
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
    expect((await complete(api, idOf(address))).outcome).toBe('409 CHUNKS_MISSING');
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
    expect(await contentOf(await head(api, address))).toBe('abcdef');
  });

  it('with a content of another type is refused at its end', async () => {
    const address = await createdTus(api, 6, { filename: 'a.png' });
    expect((await patch(api, address, 0, 'no png')).outcome).toBe('400 FILE_CONTENT_MISMATCH');
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

describe('creating', () => {
  it.each([
    ['no length', { 'upload-length': '' }, 'Upload-Length'],
    ['a length below zero', { 'upload-length': '-1' }, 'Upload-Length'],
    ['no bytes', { 'upload-length': '0' }, 'Upload-Length'],
    ['a length with a fraction', { 'upload-length': '1.5' }, 'Upload-Length'],
    ['a length to follow', { 'upload-defer-length': '1' }, 'Upload-Defer-Length'],
    ['no name', { 'upload-metadata': '' }, 'Upload-Metadata.filename'],
    ['a value that is not base64', { 'upload-metadata': 'filename YS50eHQ=,a %%%' }, 'Upload-Metadata'],
    ['a value that is not UTF-8', { 'upload-metadata': 'filename YS50eHQ=,a /w==' }, 'Upload-Metadata'],
    ['a key twice', { 'upload-metadata': 'filename YS50eHQ=,filename YS50eHQ=' }, 'Upload-Metadata'],
    ['three parts', { 'upload-metadata': 'filename YS50eHQ= YS50eHQ=,a' }, 'Upload-Metadata,Upload-Metadata.filename'],
    ['long metadata', { 'upload-metadata': `a ${'A'.repeat(9000)}` }, 'Upload-Metadata,Upload-Metadata.filename'],
    ['an odd context', { 'upload-metadata': 'filename YS50eHQ=,fileContext ' }, 'Upload-Metadata.fileContext'],
    ['an adapter that is none', { 'upload-metadata': 'filename YS50eHQ=,isAdapter dHJ1ZQ==' }, 'isAdapter'],
  ])('is refused with %s', async (_, headers, at) => {
    expect(await createTus(api, { ...creation(), ...headers })).toMatchObject(faultsAt(...at.split(',')));
  });

  it('is refused with an extension that the context does not have', async () => {
    const other = createTus(api, creation(6, { filename: 'a.csv', fileContext: 'chat' }));
    expect((await other).outcome).toBe('400 UNSUPPORTED_FILE_TYPE');
    expect((await createTus(api, creation(6, { filename: 'none' }))).outcome).toBe('400 UNSUPPORTED_FILE_TYPE');
  });

  it('is refused above the limit, which the answer has', async () => {
    const answer = await createTus(api, creation(50 * 1024 * MiB + 1));
    expect(answer.outcome).toBe('413 UPLOAD_TOO_LARGE');
    expect(answer.headers.get('tus-max-size')).toBe(String(50 * 1024 * MiB));
  });

  it('is refused in another version, and without one', async () => {
    for (const version of ['0.2.2', '']) {
      const answer = await createTus(api, { ...creation(), 'tus-resumable': version });
      expect(answer.outcome).toBe('412 TUS_VERSION_UNSUPPORTED');
      expect(answer.headers.get('tus-version')).toBe('1.0.0');
    }
    const address = await createdTus(api);
    const other = { 'tus-resumable': '2.0.0' };
    expect((await head(api, address, other)).outcome).toBe('412 TUS_VERSION_UNSUPPORTED');
    expect((await terminate(api, address, other)).outcome).toBe('412 TUS_VERSION_UNSUPPORTED');
    expect((await patch(api, address, 0, 'a', other)).outcome).toBe('412 TUS_VERSION_UNSUPPORTED');
  });
});

describe('continuing', () => {
  let address: string;
  beforeEach(async () => (address = await createdTus(api)));

  it.each(['', '-1', 'x', '1e0'])('is refused at the offset %j', async (offset) => {
    expect(await patch(api, address, offset, 'abc')).toMatchObject(faultsAt('Upload-Offset'));
  });

  it('is refused with another media type', async () => {
    const answer = await patch(api, address, 0, 'abc', { 'content-type': 'application/octet-stream' });
    expect(answer.outcome).toBe('415 UNSUPPORTED_MEDIA_TYPE');
  });

  it('is refused elsewhere than at the end of what has arrived', async () => {
    await patch(api, address, 0, 'abc');
    for (const offset of [0, 2, 4]) {
      expect((await patch(api, address, offset, 'd')).outcome).toBe('409 UPLOAD_OFFSET_MISMATCH');
    }
    expect(await offsetOf(api, address)).toBe(3);
  });

  it('is refused past the announced length, whether the request says so first or not', async () => {
    expect((await patch(api, address, 0, 'abcdefg')).outcome).toBe('413 UPLOAD_LENGTH_EXCEEDED');
    expect(await offsetOf(api, address)).toBe(0);
    const headers = continuation(0);
    const sent = openRequest(service.url, { verb: 'PATCH', path: address, key: tenant.key, headers, begin: 'abcdefg' });
    sent.finish();
    expect((await sent.answer).outcome).toBe('413 UPLOAD_LENGTH_EXCEEDED');
  });

  it('is refused once the upload is complete', async () => {
    await patch(api, address, 0, 'abcdef');
    expect((await patch(api, address, 6, '')).outcome).toBe('409 UPLOAD_COMPLETED');
    expect((await terminate(api, address)).outcome).toBe('409 UPLOAD_COMPLETED');
    expect((await head(api, address)).headers.get('upload-offset')).toBe('6');
  });

  it('advances with exactly one of two requests for the same bytes', async () => {
    for (let round = 0; round < 5; round += 1) {
      const fresh = await createdTus(api);
      const answers = await Promise.all(['abc', 'xyz'].map((content) => patch(api, fresh, 0, content)));
      expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['204', '409 UPLOAD_OFFSET_MISMATCH']);
      expect(await partsOf(fresh)).toEqual([3]);
    }
    await store.untilNothingIsLeft();
  });

  it('keeps what has arrived when the connection breaks', async () => {
    await store.untilNothingIsLeft();
    const headers = continuation(0, { 'content-length': '6' });
    const sent = openRequest(service.url, { verb: 'PATCH', path: address, key: tenant.key, headers, begin: 'abcd' });
    await eventually(async () => (await store.unkept()).length === 1);
    sent.abandon();
    await eventually(async () => (await offsetOf(api, address)) === 4);
    expect(await contentOf(await patch(api, address, 4, 'ef'))).toBe('abcdef');
  });

  it('keeps a large body in parts of 8 MiB', async () => {
    const content = Buffer.alloc(20 * MiB, 'tus ');
    const large = await createdTus(api, content.length, { filename: 'large.bin' });
    const answer = await patch(api, large, 0, content);
    expect(await partsOf(large)).toEqual([8 * MiB, 8 * MiB, 4 * MiB]);
    expect(await contentOf(answer)).toBe(content.toString());
  });
});

describe('a checksum', () => {
  it.each(['sha1', 'sha256'])('of %s keeps all bytes of a request or none', async (algorithm) => {
    const address = await createdTus(api);
    expect((await patch(api, address, 0, 'abc', checksum('abd', algorithm))).outcome).toBe(
      '460 UPLOAD_CHECKSUM_MISMATCH',
    );
    expect(await offsetOf(api, address)).toBe(0);
    expect((await patch(api, address, 0, 'abc', checksum('abc', algorithm))).outcome).toBe('204');
    expect(await offsetOf(api, address)).toBe(3);
    await store.untilNothingIsLeft();
  });

  it('keeps nothing when the connection breaks', async () => {
    const address = await createdTus(api);
    const headers = continuation(0, { 'content-length': '6', ...checksum('abcdef') });
    const sent = openRequest(service.url, { verb: 'PATCH', path: address, key: tenant.key, headers, begin: 'abcd' });
    await eventually(async () => (await store.unkept()).length === 1);
    sent.abandon();
    await eventually(async () => (await store.unkept()).length === 0);
    expect(await offsetOf(api, address)).toBe(0);
  });

  it('is refused if it is none, or is of a large request', async () => {
    const content = new Uint8Array(25 * MiB + 1);
    const address = await createdTus(api, 2 * content.length, { filename: 'large.bin' });
    const send = (value: string) => patch(api, address, 0, 'abc', { 'upload-checksum': value });
    expect((await send('md5 kAFQmDzST7DWlj99KOF/cg==')).outcome).toBe('400 CHECKSUM_ALGORITHM_UNKNOWN');
    for (const odd of ['sha1', 'sha1 ***', 'sha1 AAAA AAAA']) {
      expect(await send(odd)).toMatchObject(faultsAt('Upload-Checksum'));
    }
    expect((await patch(api, address, 0, content, checksum(content))).outcome).toBe('413 CHUNK_TOO_LARGE');
    const headers = { ...continuation(0), ...checksum(content), 'x-api-key': tenant.key };
    const sent = openRequest(service.url, { verb: 'PATCH', path: address, headers, begin: 'x'.repeat(content.length) });
    sent.finish();
    expect((await sent.answer).outcome).toBe('413 CHUNK_TOO_LARGE');
    expect(await offsetOf(api, address)).toBe(0);
  });
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
  expect(await partsOf(address)).toEqual([]);
});
