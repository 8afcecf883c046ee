import { ZipFile } from 'yazl';
import { buffer } from 'node:stream/consumers';
import { open, upload } from '../files/files.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { type DockBody, ended, envOf, flowOf, toolDocument, TOOLS, uploadJson } from './make.js';

const service = await startService();
const tenant = await makeTenant(service);
const { api } = tenant;
afterAll(() => service.stop());

const CANARY = 'canary-in-an-env-file';
const SECRET = { name: 'KEY', value: CANARY, secret: true };
const OPEN = { name: 'BASE_URL', value: 'https://example.com', secret: false };

async function importWith(env: { fileId: string }, { flow = flowOf([]) } = {}): Promise<DockBody> {
  const { body } = await api.post<DockBody>(`${TOOLS}/import`, {
    toolName: 'A tool',
    toolDataFileId: await uploadJson(tenant, toolDocument()),
    flowDataFileId: await uploadJson(tenant, flow),
    envVariablesFileId: env.fileId,
  });
  return ended(tenant, body);
}

async function uploadEnv(value: unknown, name = 'env.json') {
  const { body } = await upload(api, { name, content: JSON.stringify(value), fileContext: 'tool' });
  return body;
}

const outcomeOf = async ({ fileId }: { fileId: string }) => (await api.get(`/api/public/files/${fileId}`)).outcome;

describe('the file of an env document', () => {
  it('is deleted together with its link when its secrets have been sealed', async () => {
    const env = await uploadEnv(envOf([OPEN, SECRET]));
    expect((await open(env.url)).bytes.toString()).toContain(CANARY);
    expect((await importWith(env)).status).toBe('SUCCESS');
    expect(await outcomeOf(env)).toBe('404 FILE_NOT_FOUND');
    expect((await open(env.url)).status).toBe(404);
    expect(await service.database.dump()).not.toContain(CANARY);
  });

  it('is deleted as well if the import has failed, because of another document or of another variable', async () => {
    const env = await uploadEnv(envOf([SECRET]));
    const job = await importWith(env, { flow: {} });
    expect(job.error?.code).toBe('FLOW_DOCUMENT_INVALID');
    expect(await outcomeOf(env)).toBe('404 FILE_NOT_FOUND');

    const faulty = await uploadEnv(envOf([SECRET, { name: '1', value: '' }]));
    expect((await importWith(faulty)).error?.code).toBe('ENV_DOCUMENT_INVALID');
    expect(await outcomeOf(faulty)).toBe('404 FILE_NOT_FOUND');
  });

  it('stays if it has no secret with a value', async () => {
    const env = await uploadEnv(envOf([OPEN, { ...SECRET, value: '' }]));
    expect((await importWith(env)).status).toBe('SUCCESS');
    expect((await importWith(env)).status).toBe('SUCCESS');
    expect(await outcomeOf(env)).toBe('200');
  });

  it('is deleted if it is an archive of all three documents with a secret', async () => {
    const zip = new ZipFile();
    const documents = { tool: toolDocument(), flow: flowOf([]), env: envOf([SECRET]) };
    for (const [name, value] of Object.entries(documents)) {
      zip.addBuffer(Buffer.from(JSON.stringify(value)), `${name}.json`);
    }
    zip.end();
    const content = new Uint8Array(await buffer(zip.outputStream));
    const { body } = await upload(api, { name: 'all.zip', content, fileContext: 'tool' });
    const { fileId } = body;
    const files = { toolDataFileId: fileId, flowDataFileId: fileId, envVariablesFileId: fileId };
    const { body: job } = await api.post<DockBody>(`${TOOLS}/import`, { toolName: 'All', ...files });
    expect((await ended(tenant, job)).status).toBe('SUCCESS');
    expect(await outcomeOf(body)).toBe('404 FILE_NOT_FOUND');
  });
});

it.each([
  ['another document', toolDocument()],
  ['a list', [{ secret: true, value: 'x' }]],
  ['a text', 'secret'],
])('leaves %s alone that is named as the env document', async (_, value) => {
  const other = await uploadEnv(value);
  expect((await importWith(other)).error?.code).toBe('ENV_DOCUMENT_INVALID');
  expect(await outcomeOf(other)).toBe('200');
});
