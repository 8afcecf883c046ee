import { createHmac } from 'node:crypto';
import { toId } from '../../src/kernel/ids.js';
import { Suspensions } from '../../src/modules/tools/callbacks/suspensions.js';
import { Database } from '../../src/platform/database/database.js';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { deployedTool, endedRun, execute, flowOf, importTool, outcomeOf, type RunBody, runOf, TOOLS } from './make.js';

const service = await startService();
const tenant = await makeTenant(service);
afterAll(() => service.stop());

const delay = (more: object) =>
  flowOf([{ id: 'pause', type: 'delay', ...more }], { end: { output: '{{ nodes.pause.until }}' } });
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const jobs = () => service.database.rows(`select from job where name = 'tools.end-delay' and state = 'queued'`);

/** Lets the time of all delays come. */
const skipTime = () => service.database.rows(`update job set run_at = now() where name = 'tools.end-delay'`);

async function delayed(more: object, input = {}): Promise<RunBody & { toolId: string }> {
  const toolId = await deployedTool(tenant, { flow: delay(more) });
  const { body } = await execute(tenant, toolId, input);
  return { ...body, toolId };
}

it.each([
  ['some seconds', { seconds: 1 }],
  ['seconds of a template', { seconds: '{{ input.half | times: 2 }}' }],
])('suspends the run for %s', async (_, members) => {
  const { toolId, runId, status } = await delayed(members, { half: 0.5 });
  expect(status).toBe('suspended');
  const { nodes, output } = await endedRun(tenant, toolId, runId);
  expect(nodes[1]).toMatchObject({ nodeId: 'pause', type: 'delay', status: 'completed', output: { until: output } });
  expect(nodes[1]!.durationMs).toBeGreaterThanOrEqual(990);
});

it('waits for a time with a job, and not in a process', async () => {
  const time = inAnHour();
  const { toolId, runId, status } = await delayed({ until: '{{ input.time }}' }, { time });
  expect(status).toBe('suspended');
  const [run] = await service.database.rows<{ suspended_until: Date }>(
    `select suspended_until from tool_run where id = $1`,
    [runId],
  );
  expect(run!.suspended_until.toISOString()).toBe(time);
  await skipTime();
  expect(await endedRun(tenant, toolId, runId)).toMatchObject({ status: 'completed', output: time });
});

it('goes on at once if the time has passed', async () => {
  const until = '2026-01-01T00:00:00+01:00';
  expect(await outcomeOf(tenant, { flow: delay({ until }) }, {})).toMatchObject({ status: 'completed' });
});

it('goes on when a callback for a later node arrives', async () => {
  const nodes = [
    { id: 'pause', type: 'delay', seconds: 3_600 },
    { id: 'wait', type: 'wait' },
  ];
  const toolId = await deployedTool(tenant, { flow: flowOf(nodes) });
  const { runId } = (await execute(tenant, toolId)).body;
  const open = () => service.app.get(Suspensions).open(toId('toolRun', runId), 1);
  const { id, secret } = await service.app.get(Database).apart(open);
  const rawBody = '{"approved":true}';
  const signature = `sha256=${createHmac('sha256', secret).update(rawBody).digest('hex')}`;
  const headers = { 'x-callback-signature': signature };
  expect((await new Client(service.url).send('POST', `/api/v1/callbacks/${id}`, { rawBody, headers })).outcome).toBe(
    '200',
  );
  expect(await runOf(tenant, toolId, runId)).toMatchObject({ status: 'suspended', nodes: [{}, { nodeId: 'pause' }] });
  await skipTime();
  expect(await endedRun(tenant, toolId, runId)).toMatchObject({ output: { approved: true } });
});

it('ends with the run that is cancelled', async () => {
  const { toolId, runId } = await delayed({ seconds: 3_600 });
  expect((await tenant.api.post(`${TOOLS}/${toolId}/runs/${runId}/cancel`)).outcome).toBe('200');
  await skipTime();
  await eventually(jobs, ({ length }) => length === 0);
  expect(await runOf(tenant, toolId, runId)).toMatchObject({ status: 'failed', error: { code: 'RUN_CANCELLED' } });
});

it.each([
  ['a word', { seconds: '{{ input.word }}' }, 'With its values filled in, `seconds` is not a number from 0.'],
  ['less than no time', { seconds: '{{ input.negative }}' }, '`seconds` is not a number from 0.'],
  ['a day that does not exist', { until: '2026-02-30T10:00:00Z' }, '`until` is not a date and time with offset'],
  ['a time without offset', { until: '2026-12-01T10:00:00' }, '`until` is not a date and time with offset'],
  ['more than 30 days', { seconds: '{{ input.long }}' }, 'The delay is longer than 30 days.'],
])('fails if its time is %s', async (_, members, message) => {
  const { error } = await outcomeOf(tenant, { flow: delay(members) }, { word: 'soon', long: 2_592_001, negative: -1 });
  expect(error!.code).toBe('DELAY_INVALID');
  expect(error!.message).toContain(message);
});

it.each([
  ['no time', {}, 'nodes.1 must have one of seconds and until'],
  ['two times', { seconds: 1, until: '2026-12-01T10:00:00Z' }, 'nodes.1 must have one of seconds and until'],
  ['too long a time', { seconds: 2_592_001 }, 'nodes.1.seconds must be at most 2592000'],
])('is refused with %s', async (_, members, message) => {
  const { error } = await importTool(tenant, { flow: delay(members) });
  expect(error!.message).toContain(message);
});
