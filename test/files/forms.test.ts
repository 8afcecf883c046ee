import { connect } from 'node:net';
import { untilRunning } from '../support/running.js';
import { makeKey, makeTenant, revoke } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { openRequest } from '../support/wire.js';
import { FILES, progressOf, SESSIONS, startedUpload } from './files.js';
import { Store } from './store.js';

const service = await startService();
const store = new Store(service.settings, service.database);
const tenant = await makeTenant(service);
const { api } = tenant;
afterAll(() => service.stop());
afterEach(() => store.untilNothingIsLeft());

const BOUNDARY = 'border';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;
const MiB = 1024 * 1024;

const field = (name: string, value: string) =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const fileHead = (disposition = 'name="file"; filename="a.txt"') =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; ${disposition}\r\ncontent-type: text/plain\r\n\r\n`;
const file = (content = 'x', disposition?: string) => `${fileHead(disposition)}${content}\r\n`;
const END = `--${BOUNDARY}--\r\n`;
const CONTEXT = field('fileContext', 'bulkImport');

const send = (rawBody: string, type = TYPE) => api.send('POST', FILES, { rawBody, headers: { 'content-type': type } });

it('a complete form is read', async () => {
  expect((await send(CONTEXT + file() + END)).outcome).toBe('201');
  expect((await send(`preamble\r\n${file()}${CONTEXT}${END}epilogue`)).outcome).toBe('201');
});

describe('a form that calls itself JSON, as a published sample does', () => {
  it('is read by its own boundary, at once and in small pieces', async () => {
    expect((await send(CONTEXT + file() + END, 'application/json')).outcome).toBe('201');
    const path = `${SESSIONS}/${await startedUpload(api)}`;
    const form = field('chunkNumber', '0') + file() + END;
    expect((await api.send('POST', path, { rawBody: form })).outcome).toBe('200');

    const slow = openRequest(service.url, { verb: 'POST', path: FILES, key: tenant.key, begin: '-' });
    const whole = CONTEXT + file() + END;
    for (const piece of [whole.slice(1, 5), whole.slice(5, 40), whole.slice(40)]) {
      await new Promise(setImmediate);
      slow.write(piece);
    }
    slow.finish();
    expect((await slow.answer).outcome).toBe('201');
  });

  it.each(['', '{}', '--', 'nonsense', `--${BOUNDARY}\r\n`, `--${BOUNDARY}\r\nx-more: 1\r\n\r\n`, 'x'.repeat(100_000)])(
    'is refused with the right media type if it is not a form: %j',
    async (body) => {
      const answer = await send(body, 'application/json');
      expect(answer.outcome).toBe('415 UNSUPPORTED_MEDIA_TYPE');
      expect(answer.text).toContain('multipart/form-data');
    },
  );
});

describe('a broken form', () => {
  it.each([
    ['nothing', ''],
    ['no boundary at all', 'nonsense'],
    ['another boundary', (CONTEXT + file() + END).replaceAll(BOUNDARY, 'other')],
    ['only its end', END],
    ['no end', CONTEXT + file()],
    ['an end within the content', CONTEXT + fileHead() + 'half of it'],
    ['an end within the headers', `${CONTEXT}--${BOUNDARY}\r\ncontent-disposition: form-da`],
    ['an end within the boundary', `${CONTEXT}${fileHead()}x\r\n--bor`],
    ['a part without headers', `${CONTEXT}--${BOUNDARY}\r\n\r\nx\r\n${END}`],
    ['a header without a colon', `${CONTEXT}--${BOUNDARY}\r\nnonsense\r\n\r\nx\r\n${END}`],
    ['a NUL in a header', `${CONTEXT}${file('x', 'name="file"; filename="a\0.txt"')}${END}`],
    ['headers without end', `${CONTEXT}--${BOUNDARY}\r\nx-long: ${'x'.repeat(100_000)}`],
    ['a thousand empty parts', `--${BOUNDARY}\r\n`.repeat(1000) + END],
    ['a part of no name', `${CONTEXT}${file('x', 'filename="a.txt"')}${END}`],
    [
      'a part of an unknown disposition',
      `--${BOUNDARY}\r\ncontent-disposition: attachment; name="file"\r\n\r\nx\r\n${END}`,
    ],
    ['a file name with an encoded NUL', CONTEXT + file('x', `name="file"; filename*=utf-8''a%00.txt`) + END],
    ['an empty file name', CONTEXT + file('x', 'name="file"; filename=""') + END],
    ['a file name of dots', CONTEXT + file('x', 'name="file"; filename=".."') + END],
    ['a hundred fields', field('a', 'b').repeat(100) + END],
    ['a field that is long', field('fileContext', 'x'.repeat(100_000)) + file() + END],
    ['a name that is long', field('x'.repeat(10_000), 'x') + file() + END],
    ['a field with brackets', field('fileContext[a]', 'x') + file() + END],
    ['a field that would change how objects work', field('__proto__[a]', 'x') + field('__proto__', 'x') + file() + END],
    ['a context twice', CONTEXT + CONTEXT + file() + END],
    ['two files', CONTEXT + file() + file() + END],
    ['two files of which one has another name', CONTEXT + file() + file('x', 'name="other"; filename="b.txt"') + END],
    ['a file where the context should be', file('x', 'name="fileContext"; filename="b.txt"') + file() + END],
  ])('with %s is refused with a 400', async (_, body) => {
    const { status, text } = await send(body);
    expect({ status, text }).toMatchObject({ status: 400 });
  });

  it.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    `multipart/form-data; boundary="${'x'.repeat(500)}"`,
    'multipart/form-data; boundary=\u00e4',
  ])('of the type %j is refused with a 400', async (type) => {
    const headers = { 'content-type': type, 'x-api-key': tenant.key };
    const opened = openRequest(service.url, { verb: 'POST', path: FILES, headers, begin: CONTEXT });
    opened.finish(file() + END);
    expect((await opened.answer).status).toBe(400);
  });

  it.each(['multipart/mixed; boundary=border', 'text/plain', 'multipart/related; boundary=border'])(
    'of the type %s is refused with a 415',
    async (type) => expect((await send(CONTEXT + file() + END, type)).outcome).toBe('415 UNSUPPORTED_MEDIA_TYPE'),
  );

  it('that is compressed is refused with a 415', async () => {
    const headers = { 'content-type': TYPE, 'content-encoding': 'gzip' };
    const { outcome } = await api.send('POST', FILES, { rawBody: CONTEXT + file() + END, headers });
    expect(outcome).toBe('415 UNSUPPORTED_MEDIA_TYPE');
  });

  it('that is cut at any place is refused with a 400', async () => {
    const whole = CONTEXT + file('content') + END;
    for (let length = 0; length < whole.lastIndexOf('--'); length += 3) {
      const { status } = await send(whole.slice(0, length));
      expect({ length, status }).toEqual({ length, status: 400 });
    }
  });

  it('does not result from the small pieces of a complete one', async () => {
    const whole = CONTEXT + file('\r\n--borde\r\n--bor') + END;
    for (const size of [1, 2, 7]) {
      const headers = { 'content-type': TYPE, 'x-api-key': tenant.key };
      const opened = openRequest(service.url, { verb: 'POST', path: FILES, headers, begin: whole.slice(0, size) });
      await untilRunning(service, tenant.keyId);
      for (let at = size; at < whole.length; at += size) {
        opened.write(whole.slice(at, at + size));
        await new Promise((resolve) => setImmediate(resolve));
      }
      opened.finish();
      expect((await opened.answer).outcome).toBe('201');
    }
  });
});

describe('a file too large', () => {
  it('is refused while it arrives, before its end', async () => {
    const headers = { 'content-type': TYPE, 'x-api-key': tenant.key };
    const opened = openRequest(service.url, { verb: 'POST', path: FILES, headers, begin: CONTEXT + fileHead() });
    for (let sent = 0; sent < 26; sent += 1) opened.write('x'.repeat(MiB));
    expect((await opened.answer).outcome).toBe('413 FILE_TOO_LARGE');
    opened.abandon();
  });

  it('is refused before any of it arrives if its length is known', async () => {
    const headers = { 'content-type': TYPE, 'x-api-key': tenant.key, 'content-length': String(30 * MiB) };
    const opened = openRequest(service.url, { verb: 'POST', path: FILES, headers, begin: CONTEXT });
    expect((await opened.answer).outcome).toBe('413 FILE_TOO_LARGE');
    opened.abandon();
  });
});

/** Waits until a content is being written to the store. */
const untilWriting = () =>
  eventually(
    () => store.unkept(),
    (unkept) => unkept.length > 0,
  );

describe('a client that disconnects', () => {
  it('in the middle of a file leaves nothing', async () => {
    const headers = { 'content-type': TYPE, 'x-api-key': tenant.key };
    const before = (await store.kept()).length;
    const opened = openRequest(service.url, { verb: 'POST', path: FILES, headers, begin: CONTEXT + fileHead() });
    opened.write('x'.repeat(MiB));
    await untilWriting();
    opened.abandon();
    await store.untilNothingIsLeft();
    expect(await store.kept()).toHaveLength(before);
  });

  it('in the middle of a chunk has not sent it', async () => {
    const sessionId = await startedUpload(api);
    const path = `${SESSIONS}/${sessionId}`;
    const headers = { 'content-type': TYPE, 'x-api-key': tenant.key };
    const begin = field('chunkNumber', '0') + fileHead();
    const opened = openRequest(service.url, { verb: 'POST', path, headers, begin });
    opened.write('x'.repeat(MiB));
    await untilWriting();
    opened.abandon();
    await store.untilNothingIsLeft();
    expect((await progressOf(api, sessionId)).body.receivedChunks).toEqual([]);
  });

  it('with a TCP reset leaves nothing', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(
      `POST ${FILES} HTTP/1.1\r\nhost: x\r\nx-api-key: ${tenant.key}\r\ncontent-type: ${TYPE}\r\ncontent-length: 100000\r\n\r\n`,
    );
    socket.write(`${CONTEXT}${fileHead()}x`);
    await untilWriting();
    socket.resetAndDestroy();
    await store.untilNothingIsLeft();
  });
});

it('an upload ends at once when its key is revoked, and leaves nothing', async () => {
  const { key, keyId } = await makeKey(service, tenant.appId, tenant.scopeName);
  const headers = { 'content-type': TYPE, 'x-api-key': key };
  const opened = openRequest(service.url, { verb: 'POST', path: FILES, headers, begin: CONTEXT + fileHead() + 'x' });
  await untilRunning(service, keyId);
  await untilWriting();
  expect((await revoke(service, tenant.appId, keyId)).outcome).toBe('200');
  expect((await opened.answer).outcome).toBe('401 API_KEY_REVOKED');
  opened.abandon();
});

it('a chunk for an upload that does not exist is refused before its content is written', async () => {
  const path = `${SESSIONS}/us-0000000000000000000000`;
  const headers = { 'content-type': TYPE, 'x-api-key': tenant.key };
  const opened = openRequest(service.url, { verb: 'POST', path, headers, begin: fileHead() });
  expect((await opened.answer).outcome).toBe('404 UPLOAD_NOT_FOUND');
  expect(await store.unkept()).toEqual([]);
  opened.abandon();
});

it('a form without a key is refused', async () => {
  const stranger = new Client(service.url);
  const answer = await stranger.send('POST', FILES, {
    rawBody: CONTEXT + file() + END,
    headers: { 'content-type': TYPE },
  });
  expect(answer.outcome).toBe('401 API_KEY_MISSING');
});
