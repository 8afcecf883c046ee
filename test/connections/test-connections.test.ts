import { administratorOf, makeTenant } from '../support/actors.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { connectTo, ledgerOf } from '../gateway/calls.js';

const double = await ModelDouble.start();
const service = await startService();
const tenant = await makeTenant(service);
afterAll(async () => {
  await service.stop();
  await double.stop();
});

const test = (connectionId: string) => {
  const path = `/api/admin/v1/projects/${tenant.projectId}/connections/${connectionId}`;
  return administratorOf(service).post<{ data: object }>(`${path}/test`);
};

it('the test of a working connection answers with its model and latency', async () => {
  const connectionId = await connectTo(tenant, double);
  const { outcome, body } = await test(connectionId);
  expect(outcome).toBe('200');
  expect(body.data).toEqual({
    connectionId,
    ok: true,
    model: 'llama',
    latencyMs: expect.any(Number) as number,
    reason: null,
  });
});

it.each([
  ['no-key', 'The provider refused the key.'],
  ['unknown', 'The provider does not know the model or the address.'],
  ['html', 'The provider sent an answer that cannot be read.'],
  ['hangup', 'The provider could not be reached, or closed the connection.'],
])('the test of a failing connection says why: %s', async (behaviour, reason) => {
  const { outcome, body } = await test(await connectTo(tenant, double, behaviour));
  expect(outcome).toBe('200');
  expect(body.data).toMatchObject({ ok: false, reason });
});

it.each([
  ['a variable', { promptVars: [{ name: 'region', required: true }] }, 'The model needs a value for region.'],
  ['images', { IOMappings: ['imageToText', 'textToImage'] }, 'The model does not answer text with text.'],
  ['sound', { IOMapping: 'audioToText' }, 'The model does not answer text with text.'],
  [
    'more time',
    { payload: { a: `${'{% for a in (1..9000) %}'.repeat(2)}${'{% endfor %}'.repeat(2)}` } },
    'template fails',
  ],
])('the test says what a model needs that the call lacks: %s', async (_, more, reason) => {
  const described = { payload: { prompt: '{{ prompt }}' }, outputPath: 'result.text', ...more };
  const { outcome, body } = await test(await connectTo(tenant, double, '', described));
  expect(outcome).toBe('200');
  expect(body.data).toMatchObject({ ok: false, reason: expect.stringContaining(reason) as string });
});

it('tests are in the ledger as test calls, without an environment and a channel', async () => {
  const rows = await ledgerOf(tenant);
  expect(rows).toHaveLength(5);
  for (const row of rows) expect(row).toMatchObject({ source: 'studio_test_calls', environment: '' });
  expect(rows.filter((row) => 'channel' in row)).toEqual([]);
});

it('an inactive connection is not tested', async () => {
  const connectionId = await connectTo(tenant, double, '', { isEnable: false });
  expect((await test(connectionId)).outcome).toBe('409 CONNECTION_INACTIVE');
});
