import { DAY_MS } from '../../src/kernel/spans.js';
import { dropDueRows } from '../../src/modules/ledger/ledger.sweeps.js';
import { isOutage } from '../../src/platform/database/database.errors.js';
import { Statements } from '../../src/platform/database/statements.js';
import { aCall, EVER, ledgerPath, read, write, written } from '../ledger/calls.js';
import { administratorOf, type Tenant } from '../support/actors.js';
import type { Refused } from '../support/client.js';
import { startService } from '../support/service.js';
import { Workers } from './workers.js';

const service = await startService();
const workers = new Workers(service);
afterAll(() => service.stop());

const AWAY = 'One of the databases that have the ledger does not answer';

const summary = ({ api, projectId }: Tenant) =>
  api.get<Refused>(`${ledgerPath(projectId)}/summary`, { query: { ...EVER, groupBy: 'day' } });
const latencies = ({ api, projectId }: Tenant) => api.get<Refused>(`${ledgerPath(projectId)}/latency`, { query: EVER });
const sumsOfAll = () =>
  administratorOf(service).get<Refused>('/api/admin/v1/ledger-summary', { query: { limit: '100' } });

const two = await Promise.all([workers.makeTenantOn(0), workers.makeTenantOn(1)]);
const [ofUp, ofDown] = two;
for (const tenant of two) await written(tenant, aCall());

it('answers 503 for the projects of a worker that is down, and for no others', async () => {
  const after = aCall();
  await workers.whileDown(1, async () => {
    expect((await read(ofDown)).status).toBe(503);
    expect((await write(ofDown, after)).status).toBe(503);
    expect((await read(ofUp)).body.generations).toHaveLength(1);
    expect((await write(ofUp, after)).status).toBe(201);
  });
  expect((await write(ofDown, after)).status).toBe(201);
  for (const tenant of two) expect((await read(tenant)).body.generations).toHaveLength(2);
});

it('sums and latencies of one project need its worker alone, and those of all projects need all workers', async () => {
  await workers.whileDown(1, async () => {
    for (const asked of [summary, latencies]) {
      expect((await asked(ofUp)).outcome).toBe('200');
      const { outcome, text } = await asked(ofDown);
      expect(outcome).toBe('503 DATABASE_UNAVAILABLE');
      expect(text).toContain(AWAY);
    }
    const { outcome, text, headers } = await sumsOfAll();
    expect(outcome).toBe('503 DATABASE_UNAVAILABLE');
    expect(text).toContain(AWAY);
    expect(headers.get('retry-after')).toBe('2');
  });
  expect((await sumsOfAll()).outcome).toBe('200');
});

it('deletes due calls when the worker is back, of the projects of all workers', async () => {
  const tenants = await Promise.all([workers.makeTenantOn(0), workers.makeTenantOn(1)]);
  const due = aCall({ timestamp: new Date(Date.now() - 100 * DAY_MS).toISOString() });
  for (const tenant of tenants) await written(tenant, due, aCall());
  const cutoffs = { general: new Date(Date.now() - 90 * DAY_MS), ofProjects: new Map() };
  const statements = service.app.get(Statements);
  const sweep = () => dropDueRows({ statements, cutoffs, hasTime: () => true });
  await workers.whileDown(1, async () => {
    expect(await sweep().then(() => 'deleted', isOutage)).toBe(true);
  });
  for (const tenant of tenants) expect((await read(tenant)).body.generations).toHaveLength(2);
  await sweep();
  for (const tenant of tenants) expect((await read(tenant)).body.generations).toHaveLength(1);
});

it('takes calls of a month that has no partition when all workers are back', async () => {
  const tenant = await workers.makeTenantOn(0);
  const call = aCall({ timestamp: new Date(Date.now() - 60 * DAY_MS).toISOString() });
  await workers.whileDown(1, async () => expect((await write(tenant, call)).status).toBe(503));
  expect((await write(tenant, call)).status).toBe(201);
});
