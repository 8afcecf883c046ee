import type { Id } from '../../src/kernel/ids.js';
import { CallWriting } from '../../src/modules/gateway/call-writing.js';
import { isOutage } from '../../src/platform/database/database.errors.js';
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

async function answersAgain(tenant: Tenant, model: string): Promise<void> {
  calls.retryMs = 0;
  expect((await ask(tenant, model)).outcome).toBe('200');
  expect(await ledgerOf(tenant)).toHaveLength(1);
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
