import { newId } from '../../src/kernel/ids.js';
import { Storage } from '../../src/platform/storage/storage.js';
import { atTime, DAY } from '../support/clock.js';
import type { Refusals } from '../support/samples.js';
import { complete, FILES, openRefused, progressOf, sendChunk, sendChunks, startedUpload, upload } from './files.js';
import { whileStorageFails } from './storage-faults.js';
import { checksum, createdTus, createTus, creation, idOf, patch } from './tus.js';

const MiB = 1024 * 1024;

export const refusals: Refusals = {
  UNSUPPORTED_FILE_TYPE: ({ tenant: { api } }) => upload(api, { name: 'a.exe' }),
  FILE_CONTENT_MISMATCH: ({ tenant: { api } }) => upload(api, { name: 'a.png', content: 'no picture' }),
  FILE_TOO_LARGE: ({ tenant: { api } }) => upload(api, { name: 'a.bin', content: new Uint8Array(25 * MiB) }),
  FILE_NOT_FOUND: ({ tenant: { api } }) => api.get(`${FILES}/${newId('file')}`),
  UPLOAD_NOT_FOUND: ({ tenant: { api } }) => progressOf(api, newId('uploadSession')),
  UPLOAD_COMPLETED: async ({ tenant: { api } }) => {
    const sessionId = await startedUpload(api, { fileSize: 3, totalChunks: 1 });
    await sendChunks(api, sessionId, { 0: 'abc' });
    await complete(api, sessionId);
    return sendChunk(api, sessionId, 0, 'abc');
  },
  UPLOAD_EXPIRED: async ({ tenant: { api } }) => {
    const sessionId = await startedUpload(api);
    return atTime(Date.now() + 2 * DAY, () => progressOf(api, sessionId));
  },
  CHUNK_NUMBER_INVALID: async ({ tenant: { api } }) => sendChunk(api, await startedUpload(api), 4, 'ab'),
  CHUNK_DIGEST_MISMATCH: async ({ tenant: { api } }) =>
    sendChunk(api, await startedUpload(api), 0, 'ab', { 'content-digest': 'sha-256=:AAAA:' }),
  CHUNK_TOO_LARGE: async ({ tenant: { api } }) =>
    sendChunk(api, await startedUpload(api), 0, new Uint8Array(25 * MiB + 1)),
  CHUNKS_MISSING: async ({ tenant: { api } }) => complete(api, await startedUpload(api)),
  FILE_SIZE_MISMATCH: async ({ tenant: { api } }) => {
    const sessionId = await startedUpload(api, { fileSize: 4, totalChunks: 1 });
    await sendChunks(api, sessionId, { 0: 'abc' });
    return complete(api, sessionId);
  },
  MALFORMED_FORM: ({ tenant: { api } }) =>
    api.send('POST', FILES, { rawBody: '--x\r\n', headers: { 'content-type': 'multipart/form-data; boundary=x' } }),
  UPLOAD_TAKES_NO_CHUNKS: async ({ tenant: { api } }) => sendChunk(api, idOf(await createdTus(api)), 0, 'abc'),
  CHECKSUM_ALGORITHM_UNKNOWN: async ({ tenant: { api } }) =>
    patch(api, await createdTus(api), 0, 'abc', { 'upload-checksum': 'crc32 AAAA' }),
  UPLOAD_OFFSET_MISMATCH: async ({ tenant: { api } }) => patch(api, await createdTus(api), 3, 'abc'),
  UPLOAD_TOO_MANY_PARTS: async ({ service, tenant: { api } }) => {
    const address = await createdTus(api);
    await service.database.rows('update upload_session set received_chunks = 10000 where id = $1', [idOf(address)]);
    return patch(api, address, 0, 'abc');
  },
  TUS_VERSION_UNSUPPORTED: ({ tenant: { api } }) => createTus(api, { ...creation(), 'tus-resumable': '0.2.2' }),
  UPLOAD_TOO_LARGE: ({ tenant: { api } }) => createTus(api, creation(51 * 1024 * MiB)),
  UPLOAD_LENGTH_EXCEEDED: async ({ tenant: { api } }) => patch(api, await createdTus(api), 0, 'abcdefg'),
  UPLOAD_CHECKSUM_MISMATCH: async ({ tenant: { api } }) => patch(api, await createdTus(api), 0, 'abc', checksum('abd')),
  LINK_INVALID: async ({ service, tenant: { api } }) => {
    const { url } = (await upload(api)).body;
    return openRefused(service, url.replace(/expires=\d/, 'expires=9'));
  },
  LINK_EXPIRED: async ({ service, tenant: { api } }) => {
    const { url } = (await upload(api)).body;
    return atTime(Date.now() + DAY, () => openRefused(service, url));
  },
  RANGE_NOT_SATISFIABLE: async ({ service, tenant: { api } }) => {
    const { url } = (await upload(api)).body;
    return openRefused(service, url, { range: 'bytes=100000-' });
  },
  PROJECT_STORAGE_FULL: async ({ service, tenant: { api, projectId } }) => {
    // This marks all the room of the project as taken.
    await service.database.rows('insert into project_storage values ($1, $2)', [projectId, Number.MAX_SAFE_INTEGER]);
    return upload(api);
  },
  STORAGE_UNAVAILABLE: ({ service, tenant: { api } }) =>
    whileStorageFails(service.app.get(Storage), 'EIO', () => upload(api)),
};
