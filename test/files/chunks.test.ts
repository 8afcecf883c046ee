import { createHash } from 'node:crypto';
import { makeTenant, type Tenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { atTime, DAY, HOUR } from '../support/clock.js';
import { startService } from '../support/service.js';
import {
  abandon,
  complete,
  open,
  progressOf,
  sendChunk,
  sendChunks,
  SESSIONS,
  startedUpload,
  startUpload,
} from './files.js';
import { createdTus, idOf } from './tus.js';

const service = await startService();
let api: Tenant['api'];
beforeEach(async () => ({ api } = await makeTenant(service)));
afterAll(() => service.stop());

const ABC = { 0: 'aa', 1: 'bb', 2: 'cc' };
const MiB = 1024 * 1024;

describe('starting an upload', () => {
  it('is answered with an id and the time of expiry, a day from now', async () => {
    const { outcome, body } = await startUpload(api);
    expect(outcome).toBe('201');
    expect(Object.keys(body).sort()).toEqual(['expirationDate', 'sessionId']);
    expect(body.sessionId).toMatch(/^us-[0-9A-Za-z]{22}$/);
    expect(Math.abs(Date.parse(body.expirationDate) - Date.now() - DAY)).toBeLessThan(10_000);
  });

  it.each(['fileContext', 'fileName', 'fileExtension', 'fileSize', 'totalChunks'])('needs %s', async (name) => {
    expect(await startUpload(api, { [name]: undefined })).toMatchObject(faultsAt(name));
    expect((await startUpload(api, { [name]: null })).outcome).toBe('400 VALIDATION_ERROR');
  });

  it.each([
    { fileSize: 0 },
    { fileSize: -1 },
    { fileSize: 1.5 },
    { fileSize: '6' },
    { fileSize: 50 * 1024 * MiB + 1, totalChunks: 10_000 },
    { totalChunks: 0 },
    { totalChunks: 10_001 },
    { totalChunks: 1.5 },
    { fileSize: 25 * MiB + 1, totalChunks: 1 },
    { fileName: '' },
    { fileName: 'a\0b' },
    { fileName: 'x'.repeat(4096) },
    { fileName: '\u202etxt.exe' },
    { fileName: '..' + '/' },
    { modelId: 'cm-1' },
    { isAdapter: true },
  ])('refuses %j', async (members) => {
    expect((await startUpload(api, members)).outcome).toBe('400 VALIDATION_ERROR');
  });

  it('accepts the largest file', async () => {
    expect((await startUpload(api, { fileSize: 50 * 1024 * MiB, totalChunks: 10_000 })).outcome).toBe('201');
    expect((await startUpload(api, { fileSize: 25 * MiB, totalChunks: 1 })).outcome).toBe('201');
  });

  it('refuses an extension that the context does not accept, whatever the name ends in', async () => {
    const members = { fileContext: 'anything', fileName: 'a.png', fileExtension: 'exe' };
    expect((await startUpload(api, members)).outcome).toBe('400 UNSUPPORTED_FILE_TYPE');
    expect((await startUpload(api, { ...members, fileExtension: 'csv' })).outcome).toBe('400 UNSUPPORTED_FILE_TYPE');
    expect((await startUpload(api, { ...members, fileExtension: '.PNG' })).outcome).toBe('201');
  });
});

describe('chunks', () => {
  it('become the file in the order of their numbers, in whatever order they arrive', async () => {
    const sessionId = await startedUpload(api);
    for (const [number, content] of [
      [2, 'cc'],
      [0, 'aa'],
      [1, 'bb'],
    ] as const) {
      const { outcome, body } = await sendChunk(api, sessionId, number, content);
      expect([outcome, body]).toEqual(['200', { chunkNumber: number, sessionId }]);
    }
    const answer = await complete(api, sessionId);
    expect(answer.outcome).toBe('200');
    expect(Object.keys(answer.body).sort()).toEqual(['fileId', 'url']);
    const { headers, bytes } = await open(answer.body.url);
    expect(bytes.toString()).toBe('aabbcc');
    expect(headers.get('content-disposition')).toBe('attachment; filename=parts.txt');
  });

  it('may be numbered from 1', async () => {
    const sessionId = await startedUpload(api);
    await sendChunks(api, sessionId, { 3: 'cc', 1: 'aa', 2: 'bb' });
    const { body } = await complete(api, sessionId);
    expect((await open(body.url)).bytes.toString()).toBe('aabbcc');
  });

  it('may be sent again, even with another size, and the last one of a number counts', async () => {
    const sessionId = await startedUpload(api);
    await sendChunks(api, sessionId, ABC);
    await sendChunks(api, sessionId, { 1: 'x' });
    expect((await complete(api, sessionId)).outcome).toBe('409 FILE_SIZE_MISMATCH');
    await sendChunks(api, sessionId, { 1: 'BB' });
    const { body } = await complete(api, sessionId);
    expect((await open(body.url)).bytes.toString()).toBe('aaBBcc');
  });

  it('may be sent all at once, and each of them twice', async () => {
    const numbers = Array.from({ length: 20 }, (_, number) => number);
    const contents = numbers.map((number) => Buffer.alloc(1000 + number, number));
    const fileSize = contents.reduce((sum, { length }) => sum + length, 0);
    const sessionId = await startedUpload(api, { fileExtension: 'bin', fileSize, totalChunks: 20 });
    const answers = await Promise.all(
      [...numbers, ...numbers].map((number) => sendChunk(api, sessionId, number, contents[number]!)),
    );
    expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(['200']));
    expect((await progressOf(api, sessionId)).body).toMatchObject({ receivedBytes: fileSize, missingChunks: [] });
    const { body } = await complete(api, sessionId);
    expect((await open(body.url)).bytes.equals(Buffer.concat(contents))).toBe(true);
  });

  it('are read as one content, so that a range may span several', async () => {
    const sessionId = await startedUpload(api, { fileSize: 10, totalChunks: 4 });
    await sendChunks(api, sessionId, { 0: '012', 1: '', 2: '3', 3: '456789' });
    const { url } = (await complete(api, sessionId)).body;
    for (let start = 0; start < 10; start += 1) {
      for (let end = start; end < 10; end += 1) {
        const { status, bytes } = await open(url, { range: `bytes=${start}-${end}` });
        expect([status, bytes.toString()]).toEqual([206, '0123456789'.slice(start, end + 1)]);
      }
    }
  });

  it.each(['-1', '4', '1.5', 'one', '', ' 1', '1e0', '0x1', '99999999999999999999', '١'])(
    'are refused under the number %j',
    async (number) => {
      const sessionId = await startedUpload(api);
      expect((await sendChunk(api, sessionId, number, 'aa')).outcome).toBe('400 CHUNK_NUMBER_INVALID');
      expect((await progressOf(api, sessionId)).body.receivedChunks).toEqual([]);
    },
  );

  it('are numbered from 0 or from 1, but not both', async () => {
    const fromZero = await startedUpload(api);
    await sendChunks(api, fromZero, { 0: 'aa' });
    expect((await sendChunk(api, fromZero, 3, 'cc')).outcome).toBe('400 CHUNK_NUMBER_INVALID');
    expect((await sendChunk(api, fromZero, 0, 'aa')).outcome).toBe('200');
    const fromOne = await startedUpload(api);
    await sendChunks(api, fromOne, { 3: 'cc' });
    expect((await sendChunk(api, fromOne, 0, 'aa')).outcome).toBe('400 CHUNK_NUMBER_INVALID');
    expect((await sendChunk(api, fromOne, 3, 'cc')).outcome).toBe('200');
  });

  it('are numbered in one way even if the numbers of both ways arrive at the same moment', async () => {
    for (let round = 0; round < 10; round += 1) {
      const sessionId = await startedUpload(api);
      const answers = await Promise.all([0, 3].map((number) => sendChunk(api, sessionId, number, 'aa')));
      expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['200', '400 CHUNK_NUMBER_INVALID']);
    }
  });

  it('have at most 25 MiB', async () => {
    const sessionId = await startedUpload(api, { fileExtension: 'bin', fileSize: 25 * MiB, totalChunks: 1 });
    const tooLarge = await sendChunk(api, sessionId, 0, new Uint8Array(25 * MiB + 1));
    expect(tooLarge.outcome).toBe('413 CHUNK_TOO_LARGE');
    expect((await sendChunk(api, sessionId, 0, new Uint8Array(25 * MiB))).outcome).toBe('200');
    expect((await complete(api, sessionId)).outcome).toBe('200');
  });

  it('are checked against a digest that is sent with them', async () => {
    const sessionId = await startedUpload(api);
    const digest = createHash('sha256').update('aa').digest('base64');
    const send = (header: string) => sendChunk(api, sessionId, 0, 'aa', { 'content-digest': header });
    for (const good of [`sha-256=:${digest}:`, `sha-256=${digest}`, `md5=:AAAA:, sha-256=:${digest}:`, 'md5=:AAAA:']) {
      expect((await send(good)).outcome).toBe('200');
    }
    const other = createHash('sha256').update('bb').digest('base64');
    expect((await send(`sha-256=:${other}:`)).outcome).toBe('400 CHUNK_DIGEST_MISMATCH');
    for (const none of ['sha-256=:nonsense', 'sha-256=:***:', 'sha-256=']) {
      expect((await send(none)).outcome).toBe('400 CHUNK_DIGEST_MISMATCH');
    }
  });

  it('need a file and a number', async () => {
    const sessionId = await startedUpload(api);
    const send = (form: Record<string, string | File>) => api.send('POST', `${SESSIONS}/${sessionId}`, { form });
    expect(await send({ chunkNumber: '0' })).toMatchObject(faultsAt('file'));
    expect(await send({ file: new File(['aa'], 'x') })).toMatchObject(faultsAt('chunkNumber'));
    expect(await send({ file: new File(['aa'], 'x'), chunkNumber: '0', total: '3' })).toMatchObject(faultsAt('total'));
    // The number may follow the file in the form.
    expect((await send({ file: new File(['aa'], 'x'), chunkNumber: '0' })).outcome).toBe('200');
  });
});

describe('an unfinished upload', () => {
  it('shows which chunks have arrived and which are missing', async () => {
    const sessionId = await startedUpload(api);
    await sendChunks(api, sessionId, { 1: 'bb' });
    expect((await progressOf(api, sessionId)).body).toMatchObject({
      status: 'open',
      receivedBytes: 2,
      receivedChunks: [1],
      missingChunks: [0, 2],
      fileName: 'parts.txt',
      totalChunks: 3,
    });
    await sendChunks(api, sessionId, { 3: 'cc' });
    expect((await progressOf(api, sessionId)).body.missingChunks).toEqual([2]);
  });

  it('is listed for every key of its project until it is complete or expires, newest first', async () => {
    const [first, second] = [await startedUpload(api), idOf(await createdTus(api))];
    await sendChunks(api, first, { 1: 'bb' });
    const whole = await startedUpload(api, { fileSize: 2, totalChunks: 1 });
    await sendChunks(api, whole, { 0: 'aa' });
    await complete(api, whole);
    await abandon(api, await startedUpload(api));
    await startedUpload((await makeTenant(service)).api);

    const list = (query = {}) => api.get<{ uploads: object[]; total: number }>(SESSIONS, { query });
    const { uploads, total } = (await list()).body;
    expect([uploads, total]).toMatchObject([[{ sessionId: second, totalChunks: null }, {}], 2]);
    expect(uploads[1]).toEqual({
      sessionId: first,
      expirationDate: expect.any(String) as string,
      fileContext: 'bulkImport',
      fileName: 'parts.txt',
      fileExtension: 'txt',
      fileSize: 6,
      receivedBytes: 2,
      totalChunks: 3,
    });
    expect((await list({ limit: '1', offset: '1' })).body).toEqual({ uploads: [uploads[1]], total: 2 });
    expect(await list({ limit: '0' })).toMatchObject(faultsAt('limit'));
    expect((await atTime(Date.now() + DAY, () => list())).body).toEqual({ uploads: [], total: 0 });
  });

  it('does not exist for another project', async () => {
    const sessionId = await startedUpload(api);
    await sendChunks(api, sessionId, { 0: 'aa' });
    const stranger = (await makeTenant(service)).api;
    const answers = [
      await sendChunk(stranger, sessionId, 0, 'zz'),
      await progressOf(stranger, sessionId),
      await complete(stranger, sessionId),
      await abandon(stranger, sessionId),
    ];
    for (const { outcome } of answers) expect(outcome).toBe('404 UPLOAD_NOT_FOUND');
    expect((await progressOf(api, sessionId)).body.receivedChunks).toEqual([0]);
  });

  it('leaves nothing when it is abandoned', async () => {
    const sessionId = await startedUpload(api);
    await sendChunks(api, sessionId, { 0: 'aa', 1: 'bb' });
    const { outcome, body } = await abandon(api, sessionId);
    expect([outcome, body]).toEqual(['200', { sessionId }]);
    for (const ask of [progressOf, complete, abandon]) {
      expect((await ask(api, sessionId)).outcome).toBe('404 UPLOAD_NOT_FOUND');
    }
    expect((await sendChunk(api, sessionId, 2, 'cc')).outcome).toBe('404 UPLOAD_NOT_FOUND');
    expect(await service.database.rows('select from file_part where content_id = $1', [sessionId])).toEqual([]);
  });

  it('answers every request with UPLOAD_EXPIRED after a day', async () => {
    const sessionId = await startedUpload(api);
    await sendChunks(api, sessionId, ABC);
    await atTime(Date.now() + DAY - HOUR, async () => {
      expect((await progressOf(api, sessionId)).outcome).toBe('200');
    });
    await atTime(Date.now() + DAY, async () => {
      for (const ask of [progressOf, complete, abandon]) {
        expect((await ask(api, sessionId)).outcome).toBe('410 UPLOAD_EXPIRED');
      }
      expect((await sendChunk(api, sessionId, 0, 'aa')).outcome).toBe('410 UPLOAD_EXPIRED');
    });
  });
});
