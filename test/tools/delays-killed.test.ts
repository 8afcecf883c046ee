import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { deployedTool, endedRun, execute, flowOf, runOf } from './make.js';

const settings = settingsFor(await createDatabase());
const database = new TestDatabase(settings.DATABASE_URL!);
afterAll(() => database.end());

it('goes on in another process after a delay, and repeats no node, if its process was killed', async () => {
  const first = await startProcess(settings);
  const tenant = await makeTenant(first);
  const nodes = [
    { id: 'before', type: 'transform', output: { word: '{{ input.word }}' } },
    { id: 'pause', type: 'delay', seconds: 3_600 },
  ];
  const toolId = await deployedTool(tenant, { flow: flowOf(nodes, { end: { output: '{{ nodes.before.word }}' } }) });
  const { runId, status } = (await execute(tenant, toolId, { word: 'ahoy' })).body;
  expect(status).toBe('suspended');
  const [, before] = (await runOf(tenant, toolId, runId)).nodes;
  await first.kill();
  await database.rows(`update job set run_at = now() where name = 'tools.end-delay'`);

  const second = await startProcess(settings);
  const elsewhere = { ...tenant, api: Client.withKey(second, tenant.key) };
  const run = await endedRun(elsewhere, toolId, runId);
  expect(run).toMatchObject({ status: 'completed', output: 'ahoy' });
  expect(run.nodes.map(({ nodeId }) => nodeId)).toEqual(['start', 'before', 'pause', 'end']);
  expect(run.nodes[1]).toEqual(before);
  await second.stop();
});
