import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Slipway, type UploadProgress } from '../../clients/typescript/src/index.js';
import { makeTenant } from '../support/actors.js';
import { tinyModel } from '../support/models/tiny-model.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { ShellUser } from './command-line.js';
import { FaultyProxy } from './faulty-proxy.js';

const service = await startService();
const tenant = await makeTenant(service);
const proxy = await FaultyProxy.start(service.url);
const slipway = new Slipway({ url: proxy.url, apiKey: tenant.key });
afterAll(() => Promise.all([proxy.stop(), service.stop()]));

const CHUNK = /POST \/api\/public\/files\/session\/us-[^/]+$/;
const content = randomBytes(10_001);
const path = join(process.env.TEST_FOLDER!, 'upload.bin');
writeFileSync(path, content);

async function bytesOf(link: { url: string }): Promise<Buffer> {
  return Buffer.from(await (await fetch(link.url)).arrayBuffer());
}

it('uploads a path in chunks, and sends lost ones again', async () => {
  proxy.next(CHUNK, { kind: 'lost answer' }, { kind: 'lost request' }, { kind: 'answer', status: 502 });
  const progress: UploadProgress[] = [];
  const link = await slipway.files.upload(path, {
    context: 'tool',
    chunkBytes: 1_000,
    onProgress: (step) => progress.push(step),
  });
  expect((await bytesOf(link)).equals(content)).toBe(true);
  expect(proxy.at(CHUNK)).toHaveLength(11 + 3);
  expect(progress.map(({ sentBytes }) => sentBytes)).toEqual(
    progress.map(({ sentBytes }) => sentBytes).sort((a, b) => a - b),
  );
  expect(progress[0]).toMatchObject({ sentBytes: 0, percent: 0 });
  expect(progress.at(-1)).toEqual({ sentBytes: 10_001, totalBytes: 10_001, percent: 100 });
});

it('continues an upload that another process began, with the missing chunks only', async () => {
  const stop = new AbortController();
  let resume = '';
  const first = slipway.files.upload(path, {
    context: 'tool',
    chunkBytes: 1_000,
    concurrency: 1,
    signal: stop.signal,
    onSession: (id) => (resume = id),
    onProgress: ({ sentBytes }) => sentBytes > 3_000 && stop.abort(new Error('The cable was cut')),
  });
  await expect(first).rejects.toThrow('The cable was cut');
  const { missingChunks } = await slipway.files.uploadState(resume);
  expect(missingChunks.length).toBeLessThan(11);

  proxy.next(CHUNK);
  const link = await slipway.files.upload(new Blob([content]), { context: 'tool', name: 'upload.bin', resume });
  expect((await bytesOf(link)).equals(content)).toBe(true);
  expect(proxy.at(CHUNK)).toHaveLength(missingChunks.length);
});

it('does not continue an upload with another file', async () => {
  let resume = '';
  const large = { context: 'tool', name: 'a.bin', chunkBytes: 10 };
  await slipway.files.upload(new Blob([content.subarray(0, 30)]), { ...large, onSession: (id) => (resume = id) });
  const other = slipway.files.upload(new Blob([content.subarray(0, 31)]), { ...large, resume });
  await expect(other).rejects.toThrow('of another file');
  const namesake = slipway.files.upload(new Blob([content.subarray(1, 31)]), { ...large, name: 'b.bin', resume });
  await expect(namesake).rejects.toMatchObject({
    code: 'UPLOAD_OF_ANOTHER_FILE',
    message: 'The interrupted upload is of another file: it is called a.bin, not b.bin.',
  });
  const upper = { ...large, name: 'a.BIN', resume };
  await slipway.files.upload(new Blob([content.subarray(0, 30)]), upper);
});

it('uploads a small file in one request, once', async () => {
  proxy.next(/files$/, { kind: 'lost answer' });
  const link = await slipway.files.upload(new File(['{"a":1}'], 'a.json'), { context: 'tool' });
  expect((await bytesOf(link)).toString()).toBe('{"a":1}');
  expect(proxy.seen.map(({ isReplayed }) => isReplayed)).toEqual([false, true]);
});

it('says what is missing of a name before anything is sent', async () => {
  proxy.next(/files$/);
  await expect(slipway.files.upload(new Blob(['x']))).rejects.toThrow('Give the option name with an extension');
  expect(proxy.seen).toEqual([]);
});

it('imports a model and shows the progress of the upload and of the import', async () => {
  const phases = new Set<string>();
  const imported = slipway.models.import(new File([tinyModel()], 'tiny.gguf'));
  const job = await imported.wait({ onProgress: ({ phase }) => phases.add(phase) });
  expect(job).toMatchObject({ status: 'SUCCESS', percentageComplete: 100 });
  expect([...phases]).toEqual(['upload', 'job']);
  const { modelId } = await imported;
  expect(await slipway.models.read(modelId)).toMatchObject({ name: 'tiny', state: 'READY_TO_DEPLOY' });
});

describe('an upload that fails', () => {
  const refusal = {
    kind: 'answer',
    status: 400,
    body: '{"error":{"code":"VALIDATION_ERROR","message":"No."}}',
  } as const;
  const modelNames = async () => {
    const names = [];
    for await (const { name } of slipway.models.list()) names.push(name);
    return names;
  };

  it('leaves no model', async () => {
    proxy.next(CHUNK, refusal);
    const imported = slipway.models.import(new File([tinyModel()], 'refused.gguf'), { onSession: () => undefined });
    await expect(imported.wait()).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    proxy.next(CHUNK, { kind: 'lost request' });
    const lost = slipway.models.import(new File([tinyModel()], 'lost.gguf'), { retries: 0 });
    await expect(lost.wait()).rejects.toMatchObject({ code: 'NO_ANSWER' });
    const names = await modelNames();
    expect(names).not.toContain('refused');
    expect(names).not.toContain('lost');
  });

  it('stays if it was interrupted and can be continued', async () => {
    let resume = '';
    const file = new File([tinyModel()], 'continued.gguf');
    proxy.next(CHUNK, { kind: 'lost request' });
    const lost = slipway.models.import(file, { retries: 0, onSession: (id) => (resume = id) });
    await expect(lost.wait()).rejects.toMatchObject({ code: 'NO_ANSWER' });
    const { modelId } = await slipway.models.import(file, { resume });
    expect(await slipway.models.read(modelId)).toMatchObject({ name: 'continued' });
  });

  it('is not abandoned if another file is named', async () => {
    let resume = '';
    proxy.next(CHUNK, { kind: 'lost request' });
    const began = slipway.models.import(new File([tinyModel()], 'ours.gguf'), {
      retries: 0,
      onSession: (id) => (resume = id),
    });
    await expect(began.wait()).rejects.toMatchObject({ code: 'NO_ANSWER' });
    const other = slipway.models.import(new File([tinyModel()], 'theirs.gguf'), { resume });
    await expect(other.wait()).rejects.toMatchObject({ code: 'UPLOAD_OF_ANOTHER_FILE' });
    expect(await modelNames()).toContain('ours');
  });

  it('is interrupted by Ctrl-C, which says how it is continued', async () => {
    const user = new ShellUser({ SLIPWAY_URL: proxy.url, SLIPWAY_API_KEY: tenant.key });
    const model = join(user.home, 'stopped.gguf');
    writeFileSync(model, tinyModel());
    proxy.next(CHUNK, { kind: 'silence' });
    const running = user.start('', 'models', 'import', model);
    await eventually(() => proxy.at(CHUNK).length > 0);
    running.process.kill('SIGINT');
    const { code, noted } = await running.ended;
    const [, resume] = /To continue the upload: .* --resume (\S+)\n/.exec(noted)!;
    expect(code).toBe(130);
    expect((await user.run('models', 'import', model, '--resume', resume!)).said).toContain('READY_TO_DEPLOY');
  });
});

it('throws the reason of a job that has failed', async () => {
  const broken = new File([tinyModel().subarray(0, 200)], 'broken.gguf');
  await expect(slipway.models.import(broken).wait()).rejects.toMatchObject({
    name: 'JobFailed',
    code: 'MODEL_FILE_TRUNCATED',
    job: { status: 'FAILED' },
  });
});
