import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { type DockBody, ended, envOf, execute, TOOLS, uploadJson } from './make.js';
import { deploy, startApi } from './open-api.js';
import type { Shape } from './published/shape.js';
import { SHAPES } from './published/shapes.js';

const api = await startApi();
const service = await startService();
const tenant = await makeTenant(service);
afterAll(async () => {
  await service.stop();
  api.stop();
});

/** An import takes so many operations at once. */
const MOST = 50;

interface Imported {
  tools: { toolId: string; operation: string }[];
  skipped?: object[];
}

/** Imports all operations of a document, and returns the tools by operation. */
async function importedTools({ document, operations, env, run }: Shape, serverUrl?: string) {
  const fileId = await uploadJson(tenant, document, typeof document === 'string' ? 'api.yaml' : 'api.json');
  const parts = Array.from({ length: Math.ceil(operations.length / MOST) }, (_, at) =>
    operations.slice(at * MOST, (at + 1) * MOST),
  );
  const files = { toolName: 'Shape', toolDataFileId: fileId, flowDataFileId: fileId, serverUrl };
  const started = parts.map(async (names) => {
    const envFile = env && names.includes(run.operation) && envOf([{ ...env, secret: true }]);
    const envVariablesFileId = envFile && (await uploadJson(tenant, envFile));
    const body = { ...files, operations: names, ...(envVariablesFileId && { envVariablesFileId }) };
    const job = await ended(tenant, (await tenant.api.post<DockBody>(`${TOOLS}/import`, body)).body);
    expect(job.error).toBeUndefined();
    return job.response as unknown as Imported;
  });
  const all = await Promise.all(started);
  expect(all.flatMap(({ skipped = [] }) => skipped)).toEqual([]);
  return new Map(all.flatMap(({ tools }) => tools.map(({ operation, toolId }) => [operation, toolId])));
}

/** Documents that name the server of the double are sent there. The others are given its address. */
function serverUrlFor({ document }: Shape): string | undefined {
  const { host } = new URL(api.url);
  return JSON.stringify(document).includes(host) ? undefined : api.url;
}

it.each(Object.entries(SHAPES))(
  'every operation of a document like that of %s is imported, and one is sent as it says',
  async (_, shapeOf) => {
    const shape = shapeOf(api.url);
    const tools = await importedTools(shape, serverUrlFor(shape));
    expect([...tools.keys()].sort()).toEqual([...shape.operations].sort());
    const toolId = tools.get(shape.run.operation)!;
    await deploy(tenant, toolId);
    const { body } = await execute(tenant, toolId, shape.run.input);
    expect(body).toMatchObject({ status: 'completed', output: { place: 'Oslo' } });
    const { body: sentBody, ...sent } = shape.sent;
    expect(api.last()).toMatchObject(sent);
    for (const piece of [sentBody ?? ''].flat()) expect(api.last().body).toContain(piece);
    if (shape.env) expect(await service.database.dump()).not.toContain(shape.env.value);
  },
  300_000,
);

it('the largest of them is over 2 MB and has 1,223 operations', () => {
  const { document, operations } = SHAPES['code hosting: 1,223 operations and over 2 MB of JSON']!(api.url);
  expect(JSON.stringify(document).length).toBeGreaterThan(2_000_000);
  expect(operations).toHaveLength(1_223);
});
