import { makeTenant } from '../support/actors.js';
import { startChromium } from '../support/chromium.js';
import { startService } from '../support/service.js';
import { type FileLink, FILES, open } from '../files/files.js';
import { TUS_ROUTE } from '../files/tus.js';
import { servePage } from './page.js';

/** A page with Uppy, and with the client that Uppy uses, which is told to stop in the middle. */
const PAGE = `
  import Uppy from '@uppy/core';
  import Tus from '@uppy/tus';
  import { Upload } from 'tus-js-client';
  window.withUppy = async ({ endpoint, headers, size }) => {
    const uppy = new Uppy().use(Tus, { endpoint, headers, chunkSize: size / 2 });
    const fileIds = [];
    uppy.on('upload-success', (_, { body }) => fileIds.push(body.xhr.getResponseHeader('slipway-file-id')));
    for (const name of ['one.txt', 'two.txt']) {
      uppy.addFile({ name, type: 'text/plain', data: new Blob(['u'.repeat(size)]), meta: { fileContext: 'bulkImport' } });
    }
    const { failed } = await uppy.upload();
    return { fileIds, failed: failed.length };
  };
  window.interrupted = async ({ endpoint, headers, size }) => {
    const file = new File(['t'.repeat(size)], 'three.txt');
    const methods = [];
    const begin = (more) => new Upload(file, {
      endpoint, headers, metadata: { filename: file.name }, chunkSize: size / 2,
      onAfterResponse: (request) => void methods.push(request.getMethod()), ...more,
    });
    await new Promise((resolve, reject) => {
      const first = begin({ onError: reject, onChunkComplete: () => void first.abort().then(resolve) });
      first.start();
    });
    const again = begin({});
    const [previous] = await again.findPreviousUploads();
    again.resumeFromPreviousUpload(previous);
    const fileId = await new Promise((resolve, reject) => {
      again.options.onError = reject;
      again.options.onSuccess = ({ lastResponse }) => resolve(lastResponse.getHeader('slipway-file-id'));
      again.start();
    });
    return { fileId, methods };
  };
`;

const SIZE = 2 * 1024 * 1024;

const page = await servePage(PAGE);
const service = await startService({ CORS_ORIGINS: page.origin });
const chromium = await startChromium();
const { api, key } = await makeTenant(service);
const tab = await chromium.newPage();
afterAll(async () => {
  await chromium.close();
  page.stop();
  await service.stop();
});

async function ask<T>(work: string): Promise<T> {
  await tab.goto(page.origin);
  await tab.waitForFunction(`window.${work}`);
  const given = { endpoint: service.url + TUS_ROUTE, headers: { 'x-api-key': key }, size: SIZE };
  return tab.evaluate(`window.${work}(${JSON.stringify(given)})`);
}

async function textOf(fileId: string): Promise<string> {
  const { body } = await api.get<FileLink>(`${FILES}/${fileId}`);
  return (await open(body.url)).bytes.toString();
}

it('Uppy uploads files from a page of another origin', async () => {
  const { fileIds, failed } = await ask<{ fileIds: string[]; failed: number }>('withUppy');
  expect(failed).toBe(0);
  expect(fileIds).toHaveLength(2);
  for (const fileId of fileIds) expect(await textOf(fileId)).toBe('u'.repeat(SIZE));
});

it('a page of another origin continues an upload that it had begun', async () => {
  const { fileId, methods } = await ask<{ fileId: string; methods: string[] }>('interrupted');
  expect(methods).toEqual(['POST', 'PATCH', 'HEAD', 'PATCH']);
  expect(await textOf(fileId)).toBe('t'.repeat(SIZE));
});
