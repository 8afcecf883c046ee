import { setTimeout as wait } from 'node:timers/promises';
import { DAY_MS } from '../../src/kernel/spans.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProcess, type ServiceProcess } from '../support/process.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { EVER, ledgerPath } from '../ledger/calls.js';

const ROWS = Number(process.env.INGEST_ROWS ?? 1_000_000);
const BATCH = 10_000;
const KILLS = 5;
const MODELS = ['gpt-4o', 'claude-sonnet', 'llama', 'mistral'];
const BEGIN = Date.now() - 20 * DAY_MS;

/** Makes the line of a call from its number alone, so that a repeated request sends the same line. */
function line(number: number): string {
  return JSON.stringify({
    callId: `call-${number}`,
    timestamp: new Date(BEGIN + ((number * 7_919) % (19 * DAY_MS))).toISOString(),
    status: number % 50 === 0 ? 'failed' : 'success',
    model: MODELS[number % MODELS.length],
    provider: 'openai',
    environment: 'production',
    channel: 'api',
    sessionId: `s-${number % 5_000}`,
    inputTokens: number % 1_000,
    completionTokens: number % 100,
  });
}

const settings: SettingsOfTest = { ...settingsFor(await createDatabase()), DATABASE_POOL: '16' };
const database = new TestDatabase(settings.DATABASE_URL!);
let service: ServiceProcess = await startProcess(settings);
afterAll(async () => {
  await service.kill();
  await database.end();
});

const clientOf = ({ key }: Tenant) => Client.withKey(service, key);

async function sendUntilTaken(tenant: Tenant, batch: number): Promise<void> {
  const rawBody = Array.from({ length: BATCH }, (_, place) => line(batch * BATCH + place)).join('\n');
  for (;;) {
    const headers = { 'content-type': 'application/x-ndjson' };
    const sent = clientOf(tenant).send('POST', ledgerPath(tenant.projectId), { rawBody, headers });
    const status = await sent.then(
      (answer) => answer.status,
      () => 'no answer',
    );
    if (status === 201) return;
    await wait(100);
  }
}

it(`ends with every call once and exact totals, though it was killed ${KILLS} times on the way`, async () => {
  const tenant = await makeTenant(service);
  const batches = ROWS / BATCH;
  let taken = 0;
  let next = 0;
  const sender = async () => {
    while (next < batches) {
      await sendUntilTaken(tenant, next++);
      taken += 1;
    }
  };
  const senders = Promise.all([sender(), sender(), sender()]);
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const due = Math.floor((batches * kill) / (KILLS + 1));
    await eventually(
      () => taken,
      (count) => count >= due,
      600_000,
    );
    await service.kill();
    service = await startProcess(settings);
  }
  await senders;

  const [counted] = await database.rows<{ rows: number }>(
    'select count(*)::int as rows from ledger_row where project_id = $1',
    [tenant.projectId],
  );
  expect(counted!.rows).toBe(ROWS);
  const totalOf = async (query: Record<string, string> = {}) => {
    const options = { query: { ...EVER, limit: '1', ...query } };
    return (await clientOf(tenant).get<{ total: number }>(ledgerPath(tenant.projectId), options)).body.total;
  };
  expect(await totalOf()).toBe(ROWS);
  expect(await totalOf({ model: 'gpt-4o' })).toBe(ROWS / MODELS.length);
  expect(await totalOf({ status: 'failed' })).toBe(ROWS / 50);
  const window = [BEGIN + 3.3 * DAY_MS, BEGIN + 11.7 * DAY_MS].map((time) => new Date(time).toISOString());
  const [inWindow] = await database.rows<{ rows: number }>(
    'select count(*)::int as rows from ledger_row where project_id = $1 and ts >= $2 and ts < $3',
    [tenant.projectId, ...window],
  );
  expect(await totalOf({ fromDate: window[0]!, toDate: window[1]! })).toBe(inWindow!.rows);
}, 1_800_000);
