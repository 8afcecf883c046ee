import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { deployedTool, type DockBody, ended, execute, filesOf, flowOf, importTool, type Parts, TOOLS } from './make.js';

const service = await startService();
const tenant = await makeTenant(service);
afterAll(() => service.stop());

/** Short invalid names of headers, each with an invalid value. Together they make two megabytes of faults. */
const ASCII = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at));
const names = ASCII.flatMap((one) => ASCII.map((other) => `(${one}${other}`)).slice(0, 8_000);
const headers = Object.fromEntries(names.map((name) => [name, 0]));
const nodes = Array.from({ length: 32 }, (_, at) => {
  return { id: `c${at}`, type: 'http', url: 'https://example.com', headers };
});
const costly: Parts = { flow: flowOf(nodes) };

describe('documents that are too costly to read', () => {
  it('fail their import with the reason, and leave the tool unchanged', async () => {
    const toolId = await deployedTool(tenant);
    const files = await filesOf(tenant, costly);
    const { body } = await tenant.api.post<DockBody>(`${TOOLS}/${toolId}/import`, { toolName: 'Another', ...files });
    const job = await ended(tenant, body);
    expect(job).toMatchObject({ toolId, status: 'FAILED', error: { code: 'DOCUMENTS_TOO_COSTLY' } });
    expect(job.error!.message).toContain('Split the tool into several');
    expect((await tenant.api.get(`${TOOLS}/${toolId}`)).body).toMatchObject({ toolName: 'A tool' });
    expect((await execute(tenant, toolId)).body.status).toBe('completed');
    for (const fileId of Object.values(files)) {
      expect((await tenant.api.get(`/api/public/files/${fileId}`)).outcome).toBe('200');
    }
  });

  it('do not affect the next import', async () => {
    expect((await importTool(tenant, costly)).error?.code).toBe('DOCUMENTS_TOO_COSTLY');
    expect((await importTool(tenant)).status).toBe('SUCCESS');
  });
});
