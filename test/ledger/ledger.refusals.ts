import { newId } from '../../src/kernel/ids.js';
import { administratorOf } from '../support/actors.js';
import { atTime, DAY } from '../support/clock.js';
import type { Refusals } from '../support/samples.js';
import { aCall, EVER, ledgerPath, makeExportLink, MiB, openExport, read, written } from './calls.js';
import { pricesPath, repricingsPath, setPrice } from './prices.js';

export const refusals: Refusals = {
  INVALID_FILTER: ({ tenant }) => read(tenant, { channel: '' }),
  INVALID_STATUS: ({ tenant }) => read(tenant, { status: 'ok' }),
  LEDGER_LINK_INVALID: async ({ service, tenant }) => {
    const { url } = (await makeExportLink(tenant)).body;
    return openExport(service, url.replace(/expires=\d/, 'expires=9'));
  },
  LEDGER_LINK_EXPIRED: async ({ service, tenant }) => {
    const { url } = (await makeExportLink(tenant)).body;
    return atTime(Date.now() + DAY, () => openExport(service, url));
  },
  TOO_MANY_INTERVALS: ({ tenant: { api, projectId } }) =>
    api.get(`${ledgerPath(projectId)}/latency`, { query: { ...EVER, interval: 'hour' } }),
  MODEL_PRICE_NOT_FOUND: ({ service, tenant: { projectId } }) =>
    administratorOf(service).get(`${pricesPath(projectId)}/${newId('modelPrice')}`),
  DUPLICATE_MODEL_PRICE: async ({ service, tenant: { projectId } }) => {
    const given = { model: 'gpt-4o', input: 1, output: 1 };
    await setPrice(service, projectId, given);
    return administratorOf(service).post(pricesPath(projectId), given);
  },
  CALL_NOT_FOUND: ({ tenant: { api, projectId } }) => api.get(`${ledgerPath(projectId)}/nowhere`),
  REPRICING_NOT_FOUND: ({ tenant: { api, projectId } }) =>
    api.get(`${repricingsPath(projectId)}/${newId('repricing')}`),
  RESPONSE_TOO_LARGE: async ({ tenant }) => {
    await written(tenant, aCall({ payload: { response: { text: 'x'.repeat(MiB - 200) } } }));
    return read(tenant, { dataMode: 'full' });
  },
};
