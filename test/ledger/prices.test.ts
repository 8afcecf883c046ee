import { readFileSync } from 'node:fs';
import { PriceFile } from '../../src/modules/ledger/prices/price-table.js';
import { administratorOf, makeTenant, type Tenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';
import { aCall, read, written } from './calls.js';
import { type PriceBody, pricesPath, setPrice } from './prices.js';

const service = await startService();
const admin = administratorOf(service);
afterAll(() => service.stop());

const TOKENS = { inputTokens: 1000, cachedTokens: 400, completionTokens: 100, reasoningTokens: 50 };

async function costOf(tenant: Tenant, changes: object): Promise<[cost: unknown, unpriced: string[]]> {
  const call = aCall({ ...TOKENS, ...changes });
  const { unpriced } = await written(tenant, call);
  const { generations } = (await read(tenant)).body;
  return [generations.find(({ callId }) => callId === call.callId)!.cost, unpriced];
}

describe('the price file', () => {
  const file = PriceFile.parse(JSON.parse(readFileSync('config/model-prices.json', 'utf8')));

  it('has each model of a provider once, including its aliases', () => {
    const names = file.models.flatMap(({ provider, model, aliases = [] }) =>
      [model, ...aliases].map((name) => `${provider}/${name}`),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  it('has no cached input that costs more than input, and has the source and date of each price', () => {
    for (const { input, cachedInput = input, source, asOf } of file.models) {
      expect(cachedInput).toBeLessThanOrEqual(input);
      expect(source).toMatch(/^https:/);
      expect(Date.parse(asOf)).toBeLessThanOrEqual(Date.now());
    }
  });

  it.each([
    [{ asOf: '2026-13-01' }],
    [{ source: 'hearsay' }],
    [{ input: -1 }],
    [{ output: undefined }],
    [{ outptu: 1 }],
  ])('is refused with %j', (changes) => {
    const models = [{ ...file.models[0], ...changes }];
    expect(PriceFile.safeParse({ ...file, models }).success).toBe(false);
  });
});

describe('the cost of a call', () => {
  it('is the one that its writer sent, even 0', async () => {
    const tenant = await makeTenant(service);
    expect(await costOf(tenant, { model: 'gpt-4o', cost: 0.5 })).toEqual([0.5, []]);
    expect(await costOf(tenant, { model: 'gpt-4o', cost: 0 })).toEqual([0, []]);
  });

  it('comes from the price file if the writer sent none, with the price of cached input', async () => {
    const expected = (600 * 2.5 + 400 * 1.25 + 150 * 10) / 1e6;
    const tenant = await makeTenant(service);
    expect(await costOf(tenant, { model: 'gpt-4o', provider: 'openai' })).toEqual([expected, []]);
    expect(await costOf(tenant, { model: 'gpt-4o-2024-08-06', provider: 'azure' })).toEqual([expected, []]);
  });

  it('has the price of reasoning if there is one', async () => {
    const expected = Number(((1000 * 0.05 + 100 * 0.2 + 50 * 0.5) / 1e6).toFixed(12));
    expect(await costOf(await makeTenant(service), { model: 'qwen-turbo' })).toEqual([expected, []]);
  });

  it('is 0 for an unknown model', async () => {
    expect(await costOf(await makeTenant(service), { model: 'GPT-4o' })).toEqual([0, ['GPT-4o']]);
  });
});

describe('a price of a project’s own', () => {
  it('takes precedence over the price file, for this project only', async () => {
    const [mine, theirs] = [await makeTenant(service), await makeTenant(service)];
    await setPrice(service, mine.projectId, { model: 'gpt-4o', input: 1, output: 2 });
    expect(await costOf(mine, { model: 'gpt-4o' })).toEqual([(1000 + 300) / 1e6, []]);
    expect(await costOf(theirs, { model: 'gpt-4o' })).toEqual([(600 * 2.5 + 400 * 1.25 + 150 * 10) / 1e6, []]);
  });

  it('for a provider takes precedence over one for any provider', async () => {
    const tenant = await makeTenant(service);
    await setPrice(service, tenant.projectId, { model: 'm', input: 1, output: 0 });
    await setPrice(service, tenant.projectId, { model: 'm', provider: 'p', input: 2, output: 0, cachedInput: 0 });
    expect(await costOf(tenant, { model: 'm', provider: 'other' })).toEqual([0.001, []]);
    expect(await costOf(tenant, { model: 'm', provider: 'p' })).toEqual([0.0012, []]);
  });

  it('is changed and deleted for later calls only', async () => {
    const tenant = await makeTenant(service);
    const { modelPriceId } = await setPrice(service, tenant.projectId, {
      model: 'm',
      input: 1,
      output: 0,
      reasoning: 9,
    });
    const path = `${pricesPath(tenant.projectId)}/${modelPriceId}`;
    const changed = await admin.patch<{ data: PriceBody }>(path, { input: 3, reasoning: null });
    expect(changed.body.data).toMatchObject({ input: 3, cachedInput: null, output: 0, reasoning: null });
    expect((await admin.get<{ data: PriceBody }>(path)).body.data).toEqual(changed.body.data);
    expect(await costOf(tenant, { model: 'm' })).toEqual([0.003, []]);
    expect((await admin.delete(path)).outcome).toBe('200');
    expect(await costOf(tenant, { model: 'm' })).toEqual([0, ['m']]);
    expect((await admin.get(path)).outcome).toBe('404 MODEL_PRICE_NOT_FOUND');
  });

  it('is listed with the other prices of its project', async () => {
    const [{ projectId }, other] = [await makeTenant(service), await makeTenant(service)];
    const prices = [
      await setPrice(service, projectId, { model: 'a' }),
      await setPrice(service, projectId, { model: 'b' }),
    ];
    await setPrice(service, other.projectId, { model: 'c' });
    expect((await admin.get<{ data: PriceBody[] }>(pricesPath(projectId))).body.data).toEqual(prices);
  });

  it.each([
    [{ input: -1 }, 'input'],
    [{ output: undefined }, 'output'],
    [{ model: '' }, 'model'],
    [{ cachedInput: '1' }, 'cachedInput'],
    [{ reasoning: 1e7 }, 'reasoning'],
  ])('is refused with %j', async (changes, path) => {
    const { projectId } = await makeTenant(service);
    const given = { model: 'm', input: 1, output: 1, ...changes };
    expect(await admin.post(pricesPath(projectId), given)).toMatchObject(faultsAt(path));
  });
});
