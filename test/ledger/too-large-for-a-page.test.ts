import { makeTenant, type Tenant } from '../support/actors.js';
import type { Refused } from '../support/client.js';
import { startService } from '../support/service.js';
import { aCall, at, type Call, ledgerPath, MiB, read, written } from './calls.js';

const service = await startService();
afterAll(() => service.stop());

const full = (tenant: Tenant, query = {}) => read(tenant, { dataMode: 'full', ...query });
const HUGE = { response: { text: 'x'.repeat(2 * MiB) } };

/** Makes a tenant whose second call of three is larger than an answer may be. */
async function aTenant(): Promise<Tenant> {
  const tenant = await makeTenant(service);
  const calls = [1, 2, 3].map((second) => aCall({ timestamp: at(second), callId: `c${second}` }));
  await written(tenant, calls[0], { ...calls[1], payload: HUGE }, calls[2]);
  return tenant;
}

const connections = async () =>
  (
    await service.database.rows<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and application_name = 'slipway'`,
    )
  ).map(({ pid }) => pid);

it('a call that is too large for a page is refused repeatedly without losing database connections', async () => {
  const tenant = await aTenant();
  const before = await connections();
  expect(before).not.toEqual([]);
  for (let times = 0; times <= before.length; times += 1) {
    expect((await full(tenant, { offset: '1' })).outcome).toBe('413 RESPONSE_TOO_LARGE');
  }
  expect(await connections()).toEqual(expect.arrayContaining(before));
});

it('a call that is too large for a page is read by its id', async () => {
  const tenant = await aTenant();
  const [, huge] = (await read(tenant)).body.generations;
  const path = `${ledgerPath(tenant.projectId)}/${encodeURIComponent(huge!.id)}`;
  const { outcome, body } = await tenant.api.get<{ generation: Call }>(path, { query: { dataMode: 'full' } });
  expect(outcome).toBe('200');
  expect(body.generation).toStrictEqual({ ...huge, payload: { request: null, ...HUGE } });
});

it.each([{}, { sortBy: 'latencyMs' }])(
  'a call that is too large for a page is passed with the cursor in the error (%j)',
  async (order) => {
    const tenant = await aTenant();
    const first = await full(tenant, order);
    expect(first.body).toMatchObject({ total: 3, hasMore: true, generations: [{ callId: 'c1' }] });
    const refused = await full(tenant, { ...order, cursor: first.headers.get('x-next-cursor')! });
    expect(refused.outcome).toBe('413 RESPONSE_TOO_LARGE');
    const { message } = (refused.body as unknown as Refused).error;
    const [, cursor = ''] = /cursor=([\w-]+)/.exec(message)!;
    const rest = await full(tenant, { ...order, cursor });
    expect(rest.body).toMatchObject({ total: 3, hasMore: false, generations: [{ callId: 'c3' }] });
  },
);
