import type { Samples, World } from '../support/samples.js';
import { makeKeyWith, uniqueName } from '../support/actors.js';
import { aCall, EVER, makeExportLink, read, writtenFor } from './calls.js';
import { setPrice, startRepricing } from './prices.js';

const LEDGER = '/api/public/analytics/projects/{projectId}/llm-ledger';

const REPRICINGS = '/api/public/analytics/projects/{projectId}/llm-ledger-repricings';
const PRICES = '/api/admin/v1/projects/{projectId}/model-prices';
const POLICY = '/api/admin/v1/projects/{projectId}/ledger-policy';
const SUMS = 'GET /api/admin/v1/ledger-summary';
const SUMS_OF_ALL = 'GET /api/admin/v1/llm-ledger/summary';
const LATENCY_OF_ALL = 'GET /api/admin/v1/llm-ledger/latency';
const PRICE = '/api/admin/v1/projects/{projectId}/model-prices/{modelPriceId}';

export const samples: Samples = {
  [`GET ${LEDGER}`]: async ({ service, tenant }) => {
    await writtenFor(service, tenant, aCall({ channel: 'api' }), aCall());
    return { params: { projectId: tenant.projectId }, query: EVER };
  },
  [`GET ${LEDGER}/summary`]: async ({ service, tenant }) => {
    await writtenFor(service, tenant, aCall({ model: 'gpt-4o', inputTokens: 100 }));
    return { params: { projectId: tenant.projectId }, query: { ...EVER, groupBy: 'model' } };
  },
  [`GET ${LEDGER}/latency`]: async ({ service, tenant }) => {
    await writtenFor(service, tenant, aCall({ latencyMs: 1240, timeToFirstTokenMs: 310 }));
    return { params: { projectId: tenant.projectId }, query: { ...EVER, interval: 'day', groupBy: 'model' } };
  },
  [`GET ${LEDGER}/export.ndjson`]: async ({ service, tenant }) => {
    await writtenFor(service, tenant, aCall());
    return { params: { projectId: tenant.projectId }, query: EVER };
  },
  [`GET ${LEDGER}/export.csv`]: async ({ service, tenant }) => {
    await writtenFor(service, tenant, aCall());
    return { params: { projectId: tenant.projectId }, query: EVER };
  },
  [`POST ${LEDGER}/export-links`]: ({ tenant: { projectId } }) => ({
    params: { projectId },
    body: { format: 'csv', ...EVER },
  }),
  [`GET ${LEDGER}/export.ndjson/{filters}`]: (world) => anExportLink(world, 'ndjson'),
  [`GET ${LEDGER}/export.csv/{filters}`]: (world) => anExportLink(world, 'csv'),
  [`GET ${LEDGER}/{id}`]: async ({ service, tenant }) => {
    await writtenFor(service, tenant, aCall({ payload: { response: { text: 'Hello' } } }));
    const { api } = await makeKeyWith(service, tenant, ['analytics:read']);
    const [call] = (await read({ ...tenant, api }, { sortOrder: 'desc', limit: '1' })).body.generations;
    return { params: { projectId: tenant.projectId, id: call!.id }, query: { dataMode: 'full' } };
  },
  [`POST ${LEDGER}`]: ({ tenant: { projectId } }) => ({
    params: { projectId },
    body: { generations: [aCall({ model: 'gpt-4o', payload: { request: null, response: { text: 'Hello' } } })] },
  }),

  [`POST ${REPRICINGS}`]: ({ tenant: { projectId } }) => ({ params: { projectId }, body: EVER }),
  [`GET ${REPRICINGS}/{repricingId}`]: async ({ service, tenant }) => {
    const { api } = await makeKeyWith(service, tenant, ['analytics:write']);
    const { repricingId } = await startRepricing({ ...tenant, api });
    return { params: { projectId: tenant.projectId, repricingId } };
  },

  [SUMS]: async ({ service, tenant }) => {
    await writtenFor(service, tenant, aCall({ timestamp: new Date().toISOString() }));
    return { query: { days: '30', limit: '1' } };
  },
  [SUMS_OF_ALL]: async ({ service, tenant }) => {
    await writtenFor(service, tenant, aCall({ model: 'gpt-4o', inputTokens: 100 }));
    return { query: { ...EVER, groupBy: 'model' } };
  },
  [LATENCY_OF_ALL]: async ({ service, tenant }) => {
    await writtenFor(service, tenant, aCall({ latencyMs: 1240, timeToFirstTokenMs: 310 }));
    return { query: { ...EVER, interval: 'day', groupBy: 'model', limit: '1' } };
  },
  [`GET ${POLICY}`]: ({ tenant: { projectId } }) => ({ params: { projectId } }),
  [`PUT ${POLICY}`]: ({ tenant: { projectId } }) => ({ params: { projectId }, body: { payloads: 'omit' } }),

  [`POST ${PRICES}`]: ({ tenant: { projectId } }) => ({
    params: { projectId },
    body: { model: uniqueName('model'), provider: 'openai', input: 2, output: 8 },
  }),
  [`GET ${PRICES}`]: async (world) => {
    await aPrice(world);
    return { params: { projectId: world.tenant.projectId }, query: { limit: '1' } };
  },
  [`GET ${PRICE}`]: async (world) => ({ params: await aPrice(world) }),
  [`PATCH ${PRICE}`]: async (world) => ({ params: await aPrice(world), body: { cachedInput: null, output: 7.5 } }),
  [`DELETE ${PRICE}`]: async (world) => ({ params: await aPrice(world) }),
};

async function anExportLink({ service, tenant }: World, format: string) {
  await writtenFor(service, tenant, aCall());
  const { api } = await makeKeyWith(service, tenant, ['analytics:read']);
  const { pathname, searchParams } = new URL((await makeExportLink({ ...tenant, api }, { format })).body.url);
  const filters = pathname.split('/').at(-1)!;
  return { params: { projectId: tenant.projectId, filters }, query: Object.fromEntries(searchParams) };
}

async function aPrice({ service, tenant: { projectId } }: World) {
  const { modelPriceId } = await setPrice(service, projectId, { model: uniqueName('model') });
  return { projectId, modelPriceId };
}
