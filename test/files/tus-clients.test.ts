import * as tus from 'tus-js-client';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { openRequest } from '../support/wire.js';
import { type FileLink, FILES, open } from './files.js';
import { continuation, createdTus, creation, OFFSET_STREAM, offsetOf, patch, TUS_ROUTE } from './tus.js';

const MiB = 1024 * 1024;

const settings = settingsFor(await createDatabase());
const database = new TestDatabase(settings.DATABASE_URL!);
let service = await startProcess(settings);
const { key } = await makeTenant(service);
const api = () => Client.withKey(service, key);
afterAll(async () => {
  await service.kill();
  await database.end();
});

/** Starts the service again at the same address, as a supervisor does. */
async function startAgain(): Promise<void> {
  service = await startProcess({ ...settings, PORT: new URL(service.url).port });
}

async function bytesOf(fileId: string): Promise<Buffer> {
  const { body } = await api().get<FileLink>(`${FILES}/${fileId}`);
  return (await open(body.url)).bytes;
}

describe('tus-js-client', () => {
  const content = Buffer.alloc(20 * MiB, 'tus-js-client ');
  const options = {
    endpoint: service.url + TUS_ROUTE,
    headers: { 'x-api-key': key },
    metadata: { filename: 'large.bin', fileContext: 'bulkImport' },
    retryDelays: Array.from({ length: 250 }, () => 200),
  };

  it('uploads a file in one request, and learns its id', async () => {
    const { lastResponse } = await new Promise<tus.OnSuccessPayload>((onSuccess, onError) =>
      new tus.Upload(content, { ...options, onSuccess, onError }).start(),
    );
    expect((await bytesOf(lastResponse.getHeader('slipway-file-id')!)).equals(content)).toBe(true);
  });

  it('continues after the service was killed', async () => {
    let offsets: number[] = [];
    let isKilled = false;
    const uploaded = new Promise<tus.OnSuccessPayload>((onSuccess, onError) =>
      new tus.Upload(content, {
        ...options,
        chunkSize: 2 * MiB,
        onChunkComplete: (_, accepted) => {
          offsets.push(accepted);
          if (isKilled || accepted < 10 * MiB) return;
          isKilled = true;
          offsets = [];
          void service.kill().then(startAgain);
        },
        onSuccess,
        onError,
      }).start(),
    );
    const { lastResponse } = await uploaded;
    expect(isKilled).toBe(true);
    expect(offsets[0]).toBeGreaterThan(10 * MiB);
    expect((await bytesOf(lastResponse.getHeader('slipway-file-id')!)).equals(content)).toBe(true);
  });

  it.each([
    ['the whole file', Infinity],
    ['a part of it', 8 * MiB],
  ])('uploads with %s in the request that creates the upload', async (_, chunkSize) => {
    const sent: string[] = [];
    const { lastResponse } = await new Promise<tus.OnSuccessPayload>((onSuccess, onError) =>
      new tus.Upload(content, {
        ...options,
        uploadDataDuringCreation: true,
        chunkSize,
        onAfterResponse: (request) => void sent.push(request.getMethod()),
        onSuccess,
        onError,
      }).start(),
    );
    expect(sent).toEqual(chunkSize === Infinity ? ['POST'] : ['POST', 'PATCH', 'PATCH']);
    expect((await bytesOf(lastResponse.getHeader('slipway-file-id')!)).equals(content)).toBe(true);
  });

  it('uploads through a network that lets only POST pass', async () => {
    const { lastResponse } = await new Promise<tus.OnSuccessPayload>((onSuccess, onError) =>
      new tus.Upload(content, { ...options, overridePatchMethod: true, onSuccess, onError }).start(),
    );
    expect((await bytesOf(lastResponse.getHeader('slipway-file-id')!)).equals(content)).toBe(true);
  });

  it('terminates an upload', async () => {
    const url = service.url + (await createdTus(api()));
    await tus.Upload.terminate(url, options);
    await expect(tus.Upload.terminate(url, options)).rejects.toThrow(/UPLOAD_NOT_FOUND/);
  });
});

/** Loads a package without its types, which would bring those of a browser into all files. */
async function load<T>(name: string): Promise<T> {
  const { default: loaded } = (await import(name)) as { default: T };
  return loaded;
}

interface Uppy {
  use(plugin: object, options: object): this;
  addFile(file: object): void;
  upload(): Promise<{ failed: object[]; successful: object[] }>;
  destroy(): void;
}

it('Uppy uploads several files at once', async () => {
  const [Uppy, Tus] = [await load<new () => Uppy>('@uppy/core'), await load<object>('@uppy/tus')];
  const uppy = new Uppy().use(Tus, {
    endpoint: service.url + TUS_ROUTE,
    headers: { 'x-api-key': key },
    chunkSize: MiB,
  });
  for (const name of ['one.txt', 'two.txt', 'three.txt']) {
    const bytes = Buffer.alloc(3 * MiB, name);
    // In Node, the client reads buffers; Uppy asks a file of the browser for its size.
    const data = Object.assign(bytes, { size: bytes.length });
    uppy.addFile({ name, type: 'text/plain', data, meta: { fileContext: 'bulkImport' } });
  }
  const result = await uppy.upload();
  expect(result.failed).toEqual([]);
  expect(result.successful).toHaveLength(3);
  uppy.destroy();
});

describe('when the service stops', () => {
  /** Begins a request with bytes, and stops the service while it waits for the rest of them. */
  async function stoppedWhile(verb: 'POST' | 'PATCH', path: string, headers: Record<string, string>) {
    const before = await database.rows('select from unkept_object');
    const sent = openRequest(service.url, { verb, path, key, headers, begin: 'abcd' });
    await eventually(
      () => database.rows('select from unkept_object'),
      ({ length }) => length === before.length + 1,
    );
    const stopped = service.stop();
    const answer = await sent.answer;
    expect(await stopped).toEqual({ code: 0, signal: null });
    await startAgain();
    return answer;
  }

  async function expectContinued(address: string): Promise<void> {
    expect(await offsetOf(api(), address)).toBe(4);
    const { headers } = await patch(api(), address, 4, 'ef');
    expect((await bytesOf(headers.get('slipway-file-id')!)).toString()).toBe('abcdef');
  }

  it('an upload keeps all that has arrived, and continues with the next process', async () => {
    const address = await createdTus(api());
    const answer = await stoppedWhile('PATCH', address, continuation(0, { 'content-length': '6' }));
    expect(answer.outcome).toBe('503 NOT_READY');
    await expectContinued(address);
  });

  it('an upload that begins with bytes is created with those that have arrived', async () => {
    const headers = { ...creation(), 'content-type': OFFSET_STREAM, 'content-length': '6' };
    const answer = await stoppedWhile('POST', TUS_ROUTE, headers);
    expect(answer.outcome).toBe('201');
    expect(answer.headers.get('upload-offset')).toBe('4');
    await expectContinued(answer.headers.get('location')!);
  });
});
