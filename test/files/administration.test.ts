import { administratorOf, makeTenant, type Tenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { complete, FILES, openRefused, sendChunk, sendChunks, startedUpload, startUpload, upload } from './files.js';

const LIMIT = 0.001 * 1024 ** 3;
const service = await startService({ PROJECT_STORAGE_GIB: '0.001' });
const admin = administratorOf(service);
let tenant: Tenant;
let path: string;
beforeEach(async () => {
  tenant = await makeTenant(service);
  path = `/api/admin/v1/projects/${tenant.projectId}`;
});
afterAll(() => service.stop());

interface Use {
  files: number;
  fileBytes: number;
  heldBytes: number;
  limitBytes: number;
}

const use = async () => (await admin.get<{ data: Use }>(`${path}/storage`)).body.data;

describe('files of a project', () => {
  it('are listed, oldest first, and read', async () => {
    const ids: string[] = [];
    for (const name of ['a.txt', 'b.txt', 'c.txt']) ids.push((await upload(tenant.api, { name })).body.fileId);
    await upload((await makeTenant(service)).api);
    const list = (query: Record<string, string>) =>
      admin.get<{ data: { fileId: string }[]; meta: { nextCursor: string } }>(`${path}/files`, { query });
    const first = await list({ limit: '2' });
    const rest = await list({ limit: '2', cursor: first.body.meta.nextCursor });
    expect([...first.body.data, ...rest.body.data].map(({ fileId }) => fileId)).toEqual(ids);
    const { body } = await admin.get<{ data: object }>(`${path}/files/${ids[0]}`);
    expect(body.data).toMatchObject({
      fileId: ids[0],
      projectId: tenant.projectId,
      fileName: 'a.txt',
      fileExtension: 'txt',
      fileContext: 'bulkImport',
      fileSize: 11,
    });
  });

  it('are deleted with their links, once', async () => {
    const { fileId, url } = (await upload(tenant.api)).body;
    const outcomes = await Promise.all([1, 2, 3].map(() => admin.delete(`${path}/files/${fileId}`)));
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['200', '404 FILE_NOT_FOUND', '404 FILE_NOT_FOUND']);
    expect((await openRefused(service, url)).outcome).toBe('404 FILE_NOT_FOUND');
    expect((await tenant.api.get(`${FILES}/${fileId}`)).outcome).toBe('404 FILE_NOT_FOUND');
    expect(await use()).toMatchObject({ files: 0, fileBytes: 0, heldBytes: 0 });
    const left = await service.database.rows('select from file_part where project_id = $1', [tenant.projectId]);
    expect(left).toEqual([]);
  });

  it('that arrived in chunks are deleted with all their parts', async () => {
    const sessionId = await startedUpload(tenant.api);
    await sendChunks(tenant.api, sessionId, { 0: 'aa', 1: 'bb', 2: 'cc' });
    const { fileId } = (await complete(tenant.api, sessionId)).body;
    expect((await admin.delete(`${path}/files/${fileId}`)).outcome).toBe('200');
    expect((await use()).heldBytes).toBe(0);
    expect((await tenant.api.get(`${FILES}/${fileId}`)).outcome).toBe('404 FILE_NOT_FOUND');
  });

  it('keep their project from being deleted', async () => {
    const { body } = await admin.post<{ data: { projectId: string } }>('/api/admin/v1/projects', { name: 'x' });
    await service.database.rows('insert into file_part values ($1, 0, $2, 1, $1)', ['of-a-test', body.data.projectId]);
    expect((await admin.delete(`/api/admin/v1/projects/${body.data.projectId}`)).outcome).toBe('409 PROJECT_NOT_EMPTY');
  });
});

describe('the storage limit of a project', () => {
  const content = (size: number) => new Uint8Array(Math.floor(size));

  it('counts its files and the reservations of its uploads', async () => {
    expect(await use()).toMatchObject({ files: 0, fileBytes: 0, heldBytes: 0, limitBytes: Math.floor(LIMIT) });
    await upload(tenant.api, { name: 'a.bin', content: content(LIMIT / 2) });
    expect((await upload(tenant.api, { name: 'b.bin', content: content(LIMIT / 2 + 2) })).outcome).toBe(
      '507 PROJECT_STORAGE_FULL',
    );
    const members = { fileExtension: 'bin', totalChunks: 1 };
    const tooMuch = await startUpload(tenant.api, { ...members, fileSize: Math.floor(LIMIT / 2) + 2 });
    expect(tooMuch.outcome).toBe('507 PROJECT_STORAGE_FULL');
    const sessionId = await startedUpload(tenant.api, { ...members, fileSize: 1000 });
    expect(await use()).toMatchObject({ files: 1, heldBytes: Math.floor(LIMIT / 2) + 1000 });
    expect((await upload((await makeTenant(service)).api)).outcome).toBe('201');
    // Bytes beyond the announced size count as well.
    expect((await sendChunk(tenant.api, sessionId, 0, content(LIMIT / 4))).outcome).toBe('200');
    expect((await use()).heldBytes).toBe(Math.floor(LIMIT / 2) + Math.floor(LIMIT / 4));
    expect((await sendChunk(tenant.api, sessionId, 0, content(LIMIT / 2 + 2))).outcome).toBe(
      '507 PROJECT_STORAGE_FULL',
    );
    await sendChunks(tenant.api, sessionId, { 0: content(1000) });
    expect((await use()).heldBytes).toBe(Math.floor(LIMIT / 2) + 1000);
    expect((await complete(tenant.api, sessionId)).outcome).toBe('200');
    expect(await use()).toMatchObject({ files: 2, fileBytes: Math.floor(LIMIT / 2) + 1000 });
  });

  it('is not exceeded by concurrent uploads', async () => {
    const size = Math.floor(LIMIT / 4);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => upload(tenant.api, { name: 'a.bin', content: content(size) })),
    );
    const outcomes = answers.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual([...Array<string>(4).fill('201'), ...Array<string>(4).fill('507 PROJECT_STORAGE_FULL')]);
    expect((await use()).heldBytes).toBe(4 * size);
  });
});
