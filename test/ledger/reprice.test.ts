import { Repricings } from '../../src/modules/ledger/prices/repricings.service.js';
import { Database } from '../../src/platform/database/database.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { aCall, at, EVER, ledgerPath, read, written } from './calls.js';
import { type RepricingBody, repricingsPath, setPrice, startRepricing } from './prices.js';

const service = await startService();
afterAll(() => service.stop());

const finished = ({ api, projectId }: Tenant, { repricingId }: RepricingBody) =>
  eventually(
    async () => (await api.get<RepricingBody>(`${repricingsPath(projectId)}/${repricingId}`)).body,
    ({ state }) => state !== 'IN_PROGRESS',
  );

const costs = async (tenant: Tenant, query = {}) =>
  (await read(tenant, { ...query, limit: '10000' })).body.generations.map(({ cost }) => cost);

async function summedCost({ api, projectId }: Tenant, groupBy: string): Promise<number> {
  const query = { ...EVER, groupBy };
  const answer = await api.get<{ groups: { cost: number }[] }>(`${ledgerPath(projectId)}/summary`, { query });
  return answer.body.groups.reduce((sum, { cost }) => sum + cost, 0);
}

it('a repricing changes the costs of a window, except those that writers sent, and the sums follow', async () => {
  const tenant = await makeTenant(service);
  const tokens = { model: 'm', inputTokens: 1_000_000 };
  const before = aCall({ ...tokens, timestamp: at(-1) });
  const within = Array.from({ length: 2_300 }, (_, i) => aCall({ ...tokens, timestamp: at(Math.floor(i / 7)) }));
  await written(tenant, before, ...within, aCall({ ...tokens, timestamp: at(5), cost: 9 }));
  await setPrice(service, tenant.projectId, { model: 'm', input: 2, output: 0 });
  expect(new Set(await costs(tenant))).toEqual(new Set([0, 9]));

  const window = { fromDate: at(0), toDate: at(10_000) };
  const started = await startRepricing(tenant, window);
  expect(started).toMatchObject({ state: 'IN_PROGRESS', total: 2_301, lookedAt: 0, changed: 0 });
  expect(await finished(tenant, started)).toMatchObject({ state: 'SUCCESS', lookedAt: 2_300, changed: 2_300 });
  const after = await costs(tenant);
  expect(after[0]).toBe(0);
  expect(after.filter((cost) => cost === 2)).toHaveLength(2_300);
  expect(after.filter((cost) => cost === 9)).toHaveLength(1);
  for (const groupBy of ['day', 'model', 'session']) expect(await summedCost(tenant, groupBy)).toBe(4_609);
  expect(await costs(tenant, { sortBy: 'cost', sortOrder: 'desc' })).toEqual(
    after.toSorted((a, b) => Number(b) - Number(a)),
  );

  const again = await finished(tenant, await startRepricing(tenant, window));
  expect(again).toMatchObject({ state: 'SUCCESS', lookedAt: 2_300, changed: 0 });
});

it('a repricing that several processes run at once changes each call once', async () => {
  const tenant = await makeTenant(service);
  await written(tenant, ...Array.from({ length: 3_000 }, () => aCall({ model: 'm', inputTokens: 1_000_000 })));
  await setPrice(service, tenant.projectId, { model: 'm', input: 3, output: 0 });
  const started = await startRepricing(tenant);
  const repricings = service.app.get(Repricings);
  const signal = new AbortController().signal;
  const run = () => service.app.get(Database).apart(() => repricings.run(started.repricingId, signal));
  await Promise.all([run(), run(), run()]);
  expect(await finished(tenant, started)).toMatchObject({ state: 'SUCCESS', lookedAt: 3_000, changed: 3_000 });
  expect(await summedCost(tenant, 'day')).toBe(9_000);
  expect(await summedCost(tenant, 'session')).toBe(9_000);
});

it('a repricing does not change other projects', async () => {
  const [mine, theirs] = [await makeTenant(service), await makeTenant(service)];
  for (const tenant of [mine, theirs]) {
    await written(tenant, aCall({ model: 'm', inputTokens: 1_000_000 }));
    await setPrice(service, tenant.projectId, { model: 'm', input: 1, output: 0 });
  }
  await finished(mine, await startRepricing(mine));
  expect([await costs(mine), await costs(theirs)]).toEqual([[1], [0]]);
});

it.each([
  [{}, ['fromDate', 'toDate']],
  [{ ...EVER, fromDate: 'x' }, ['fromDate']],
  [{ fromDate: EVER.toDate, toDate: EVER.fromDate }, ['fromDate']],
  [{ ...EVER, model: 'm' }, ['model']],
])('a repricing is refused with %j', async (body, faults) => {
  const { api, projectId } = await makeTenant(service);
  expect(await api.post(repricingsPath(projectId), body)).toMatchObject(faultsAt(...faults));
});
