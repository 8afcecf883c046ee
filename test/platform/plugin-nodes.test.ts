import { fileURLToPath } from 'node:url';
import { open, upload } from '../files/files.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import {
  deployedTool,
  type DockBody,
  ended,
  execute,
  flowOf,
  importedTool,
  importTool,
  outcomeOf,
  runOf,
  TOOLS,
} from '../tools/make.js';

const settings = settingsFor(await createDatabase());
const plugin = fileURLToPath(new URL('./nodes.plugin.mjs', import.meta.url));
const service = await startProcess({ ...settings, SLIPWAY_CONFIG: plugin });
const tenant = await makeTenant(service);
afterAll(() => service.stop());

const repeat = (more: object = {}) => ({ id: 'repeat', type: 'acme-repeat', word: '{{ input.word }}', ...more });
const flow = flowOf([repeat()], { end: { output: '{{ nodes.repeat.words }}' } });

it('runs the nodes of a type that a plugin brings, and records them', async () => {
  const toolId = await deployedTool(tenant, { flow });
  const { body } = await execute(tenant, toolId, { word: 'ahoy' });
  expect(body).toMatchObject({ status: 'completed', output: ['ahoy', 'ahoy'] });
  const { nodes } = await runOf(tenant, toolId, body.runId);
  expect(nodes[1]).toMatchObject({
    nodeId: 'repeat',
    type: 'acme-repeat',
    input: { word: 'ahoy', times: 2 },
    output: { words: ['ahoy', 'ahoy'] },
  });
});

it('records the failures of such a node', async () => {
  const error = { code: 'ACME_STOPPED', message: 'Acme was told to stop.' };
  expect(await outcomeOf(tenant, { flow }, { word: 'stop' })).toMatchObject({ status: 'failed', error });
});

it.each([
  [{ times: 7 }, 'times must not be seven'],
  [{ word: 'once' }, 'the node must not repeat that word'],
])('fails such a node that breaks a rule which JSON Schema does not have: %j', async (members, rule) => {
  const message = `The node does not match the present schema of acme-repeat: ${rule}.`;
  expect(await outcomeOf(tenant, { flow: flowOf([repeat(members)]) })).toMatchObject({
    error: { code: 'NODE_INVALID', message },
  });
});

it.each([
  ['lacks a member', repeat({ word: undefined }), 'callflows.0.nodes.1.word is required'],
  ['has a value beyond the limits', repeat({ times: 11 }), 'callflows.0.nodes.1.times must be at most 10'],
  ['has an unknown member', repeat({ colour: 'red' }), 'callflows.0.nodes.1.colour is not known; take it out'],
  ['has a bad template', repeat({ word: '{{ input' }), 'callflows.0.nodes.1.word is not a valid Liquid template'],
  ['has an unknown type', repeat({ type: 'acme-shout' }), 'type must be one of acme-repeat, start, http, script'],
])('refuses the import of a node that %s', async (_, node, message) => {
  const { error } = await importTool(tenant, { flow: flowOf([node]) });
  expect(error).toMatchObject({ code: 'FLOW_DOCUMENT_INVALID' });
  expect(error!.message).toContain(message);
});

it('publishes the node in the JSON Schema of flow documents', async () => {
  const { text } = await new Client(service.url).get('/api/public/schemas/tool/flow.json');
  expect(text).toContain('"const":"acme-repeat"');
  expect(text).toContain('The word to repeat.');
});

it('exports a tool with the node, and imports it again', async () => {
  const toolId = await importedTool(tenant, { flow });
  const fileId = await upload(tenant.api, {
    name: 'export.zip',
    content: await exported(tenant, toolId),
    fileContext: 'tool',
  });
  const files = { toolDataFileId: fileId.body.fileId, flowDataFileId: fileId.body.fileId };
  const again = await tenant.api.post<DockBody>(`${TOOLS}/import`, { toolName: 'Again', ...files });
  expect(await ended(tenant, again.body)).toMatchObject({ status: 'SUCCESS' });
});

it('fails the run of a tool whose plugin was removed, and keeps the tool', async () => {
  const toolId = await deployedTool(tenant, { flow });
  const without = await startProcess(settings);
  try {
    const later = { ...tenant, api: Client.withKey(without, tenant.key) };
    const { body } = await execute(later, toolId, { word: 'ahoy' });
    expect(body).toMatchObject({ status: 'failed', error: { code: 'NODE_TYPE_MISSING' } });
    expect(body.error!.message).toContain('acme-repeat');
    expect((await exported(later, toolId)).length).toBeGreaterThan(0);
    expect((await importTool(later, { flow })).error!.message).toContain('type must be one of start, http');
  } finally {
    await without.stop();
  }
  const { body } = await execute(tenant, toolId, { word: 'ahoy' });
  expect(body).toMatchObject({ status: 'completed' });
});

async function exported(from: Tenant, toolId: string): Promise<Uint8Array<ArrayBuffer>> {
  const query = { flowId: 'main' };
  const { body } = await from.api.post<DockBody>(`${TOOLS}/${toolId}/export`, undefined, { query });
  const { response } = await ended(from, body);
  return new Uint8Array((await open(response!.downloadUrl as string)).bytes);
}
