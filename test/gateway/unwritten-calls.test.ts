import type { Id } from '../../src/kernel/ids.js';
import { CallWriting } from '../../src/modules/gateway/call-writing.js';
import { Observing } from '../../src/modules/traces/observing.service.js';
import { isOutage, markAsOfDatabase } from '../../src/platform/database/database.errors.js';
import { Log } from '../../src/platform/telemetry/log.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { whileRenamed } from '../support/faults.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { ask, connectTo, ledgerOf } from './calls.js';

const service = await startService();
const double = await ModelDouble.start();
const calls = service.app.get(CallWriting);
beforeEach(() => {
  calls.retryMs = 600_000;
});
afterAll(async () => {
  await service.stop();
  await double.stop();
});

/** Does the work while reading the policies of the ledger fails with this SQLSTATE. */
async function whileLedgerFails(sqlState: string, work: () => Promise<void>): Promise<void> {
  await service.database.rows(`
    create or replace function be_away() returns boolean language plpgsql as $$
    begin raise 'the ledger is away' using errcode = '${sqlState}'; end $$`);
  await whileRenamed(service.database, 'ledger_policy', async () => {
    await service.database.rows(
      `create view ledger_policy as select be_away()::text as project_id, be_away()::text as payloads`,
    );
    await work().finally(() => service.database.rows('drop view ledger_policy'));
  });
}

/** Whether a turn of the project would wait for its ledger, and not end. */
const waits = ({ projectId }: Tenant) => calls.admit({ projectId: projectId as Id<'project'> }).catch(isOutage);

async function answersAgain(tenant: Tenant, model: string, recorded = 0): Promise<void> {
  calls.retryMs = 0;
  expect((await ask(tenant, model)).outcome).toBe('200');
  expect(await ledgerOf(tenant)).toHaveLength(recorded + 1);
}

it.each([
  ['is away', '57P01'],
  ['hangs for longer than a statement may take', '57014'],
])('a call is logged while the ledger %s, and the model is not called again', async (_, sqlState) => {
  const tenant = await makeTenant(service);
  const model = await connectTo(tenant, double);
  const log = service.app.get(Log);
  const { error } = log;
  const lines: unknown[][] = [];
  log.error = (...line: unknown[]) => void lines.push(line);
  const before = double.calls.length;
  await whileLedgerFails(sqlState, async () => {
    for (const retryMs of [600_000, 600_000, 0]) {
      calls.retryMs = retryMs;
      expect((await ask(tenant, model)).outcome).toBe('503 DATABASE_UNAVAILABLE');
      expect(await waits(tenant)).toBe(true);
    }
  });
  log.error = error;
  expect(double.calls).toHaveLength(before + 1);
  const { projectId } = tenant;
  const call = {
    projectId,
    callId: expect.any(String) as string,
    model: 'llama',
    provider: 'custom',
    status: 'success',
  };
  const usage = { inputTokens: 20, completionTokens: 5, reasoningTokens: 4 };
  expect(lines).toContainEqual([
    { ...call, ...usage, err: expect.any(Error) as Error },
    'A call of a model is not in the ledger',
  ]);

  await answersAgain(tenant, model);
});

it('a ledger that can be read and not written is tried by one call from time to time', async () => {
  const tenant = await makeTenant(service);
  const model = await connectTo(tenant, double);
  const before = double.calls.length;
  await service.database.rows(`
    create function be_full() returns trigger language plpgsql as $$
    begin raise 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
  await service.database.rows('create trigger full_disk before insert on ledger_key execute function be_full()');
  try {
    expect((await ask(tenant, model)).outcome).toBe('507 STORAGE_FULL');
    for (let time = 0; time < 3; time += 1) {
      expect((await ask(tenant, model)).outcome).toBe('503 DATABASE_UNAVAILABLE');
    }
    expect(double.calls).toHaveLength(before + 1);
    expect(await waits(tenant)).toBe(true);
    calls.retryMs = 0;
    expect((await ask(tenant, model)).outcome).toBe('507 STORAGE_FULL');
    expect(double.calls).toHaveLength(before + 2);
  } finally {
    await service.database.rows('drop trigger full_disk on ledger_key');
  }
  await answersAgain(tenant, model);
});

it('a call that the ledger refuses costs no other one that ends at the same time', async () => {
  const tenant = await makeTenant(service);
  const model = await connectTo(tenant, double);
  await service.database.rows(`
    create function refuse() returns trigger language plpgsql as $$
    begin raise 'refused' using errcode = '22023'; end $$`);
  await service.database.rows(`
    create trigger refuse before insert on ledger_payload for each row
    when (new::text like '%Refuse me%') execute function refuse()`);
  const asked = Array.from({ length: 30 }, (_, at) =>
    ask(tenant, model, { messages: [{ role: 'user', content: at === 12 ? 'Refuse me' : 'Hello' }] }),
  );
  const outcomes = (await Promise.all(asked)).map(({ outcome }) => outcome);
  await service.database.rows('drop trigger refuse on ledger_payload');
  expect(outcomes.filter((outcome) => outcome !== '200')).toEqual([outcomes[12]]);
  expect(outcomes[12]).toBe('400 VALUE_REFUSED');
  expect(await ledgerOf(tenant)).toHaveLength(29);
});

it.each([
  ['are in the ledger if one commit of them fails by an outage', 1],
  ['fail if all such commits do', Infinity],
])('calls that end at the same time %s', async (_, outages) => {
  const tenant = await makeTenant(service);
  const model = await connectTo(tenant, double);
  const observing = service.app.get(Observing);
  const recordOwn = observing.recordOwn.bind(observing);
  let commits = 0;
  observing.recordOwn = (projectId, appId, reports) => {
    const isOfMany = reports.length > 1;
    if (isOfMany) commits += 1;
    if (!isOfMany || commits > outages) return recordOwn(projectId, appId, reports);
    const error = Object.assign(new Error('The database is shutting down'), { code: '57P01' });
    markAsOfDatabase(error);
    return Promise.reject(error);
  };
  const answers = await Promise.all(Array.from({ length: 30 }, () => ask(tenant, model)));
  Reflect.deleteProperty(observing, 'recordOwn');
  const failed = answers.filter(({ outcome }) => outcome !== '200');
  expect(new Set(failed.map(({ outcome }) => outcome))).toEqual(
    new Set(outages > 1 ? ['503 DATABASE_UNAVAILABLE'] : []),
  );
  await answersAgain(tenant, model, answers.length - failed.length);
});

it('a stream whose call cannot be recorded ends with the error, and without [DONE]', async () => {
  const tenant = await makeTenant(service);
  const model = await connectTo(tenant, double);
  await whileLedgerFails('57P01', async () => {
    const { status, text } = await ask(tenant, model, { stream: true });
    expect(status).toBe(200);
    expect(text).not.toContain('[DONE]');
    const [last] = text.trim().split('\n\n').slice(-1);
    expect(JSON.parse(last!.replace('data: ', ''))).toMatchObject({
      error: { code: 'DATABASE_UNAVAILABLE', type: 'api_error' },
    });
  });
  await answersAgain(tenant, model);
});
