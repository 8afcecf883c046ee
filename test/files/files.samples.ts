import type { Samples, World } from '../support/samples.js';
import { sendChunks, startedUpload, upload } from './files.js';
import { continuation, createdTus, creation, idOf, TUS } from './tus.js';

export const samples: Samples = {
  'POST /api/public/files': () => ({
    form: { fileContext: 'bulkImport', file: new File(['a,b\n1,2\n'], 'orders.csv') },
  }),
  'GET /api/public/files/{fileId}': async (world) => ({ params: { fileId: (await aFile(world)).fileId } }),
  'GET /api/public/files/content/{fileId}': async (world) => {
    const { url, fileId } = await aFile(world);
    return { params: { fileId }, query: Object.fromEntries(new URL(url).searchParams) };
  },

  'POST /api/public/files/session/start': () => ({
    body: { fileContext: 'bulkImport', fileName: 'orders.csv', fileExtension: 'csv', fileSize: 9, totalChunks: 2 },
  }),
  'GET /api/public/files/session': async (world) => {
    await anUpload(world);
    return { query: { limit: '1' } };
  },
  'POST /api/public/files/session/{sessionId}': async (world) => ({
    params: await anUpload(world),
    form: { chunkNumber: '0', file: new File(['a,b\n'], 'blob') },
  }),
  'GET /api/public/files/session/{sessionId}': async (world) => ({ params: await anUpload(world) }),
  'POST /api/public/files/session/{sessionId}/complete': async (world) => {
    const params = await anUpload(world);
    await sendChunks(world.tenant.api, params.sessionId, { 0: 'abc', 1: 'def' });
    return { params };
  },
  'DELETE /api/public/files/session/{sessionId}': async (world) => ({ params: await anUpload(world) }),

  'OPTIONS /api/public/files/tus': () => ({}),
  'POST /api/public/files/tus': () => ({ headers: creation() }),
  'HEAD /api/public/files/tus/{sessionId}': async (world) => ({ params: await aTusUpload(world), headers: TUS }),
  'PATCH /api/public/files/tus/{sessionId}': async (world) => ({
    params: await aTusUpload(world),
    headers: continuation(0),
    rawBody: 'abc',
  }),
  'DELETE /api/public/files/tus/{sessionId}': async (world) => ({ params: await aTusUpload(world), headers: TUS }),

  'GET /api/admin/v1/projects/{projectId}/files': ({ tenant: { projectId } }) => ({ params: { projectId } }),
  'GET /api/admin/v1/projects/{projectId}/files/{fileId}': async (world) => ({ params: await ofProject(world) }),
  'DELETE /api/admin/v1/projects/{projectId}/files/{fileId}': async (world) => ({ params: await ofProject(world) }),
  'GET /api/admin/v1/projects/{projectId}/storage': ({ tenant: { projectId } }) => ({ params: { projectId } }),
};

async function ofProject(world: World): Promise<{ projectId: string; fileId: string }> {
  return { projectId: world.tenant.projectId, fileId: (await aFile(world)).fileId };
}

async function anUpload({ tenant }: World): Promise<{ sessionId: string }> {
  return { sessionId: await startedUpload(tenant.api, { fileSize: 6, totalChunks: 2 }) };
}

async function aTusUpload({ tenant }: World): Promise<{ sessionId: string }> {
  return { sessionId: idOf(await createdTus(tenant.api)) };
}

async function aFile({ tenant }: World) {
  const { status, body, text } = await upload(tenant.api);
  if (status !== 201) throw new Error(`The upload answered ${status}: ${text}`);
  return body;
}
