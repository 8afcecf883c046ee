import { Log } from '../../src/platform/telemetry/log.js';
import { makeTenant } from '../support/actors.js';
import { whileRenamed } from '../support/faults.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { ask, connectTo, ledgerOf } from './calls.js';

const service = await startService();
const double = await ModelDouble.start();
afterAll(async () => {
  await service.stop();
  await double.stop();
});

/** Does the work while reading the policies of the ledger fails as if their database were away. */
async function whileLedgerIsAway(work: () => Promise<void>): Promise<void> {
  await service.database.rows(`
    create function be_away() returns boolean language plpgsql as $$
    begin raise 'the database is shutting down' using errcode = '57P01'; end $$`);
  await whileRenamed(service.database, 'ledger_policy', async () => {
    await service.database.rows(
      `create view ledger_policy as select be_away()::text as project_id, be_away()::text as payloads`,
    );
    await work().finally(() => service.database.rows('drop view ledger_policy'));
  });
}

it('a call that cannot be recorded is logged, and the model is not called again before the ledger answers', async () => {
  const tenant = await makeTenant(service);
  const model = await connectTo(tenant, double);
  const log = service.app.get(Log);
  const { error } = log;
  const lines: unknown[][] = [];
  log.error = (...line: unknown[]) => void lines.push(line);
  await whileLedgerIsAway(async () => {
    expect((await ask(tenant, model)).outcome).toBe('503 DATABASE_UNAVAILABLE');
    expect((await ask(tenant, model)).outcome).toBe('503 DATABASE_UNAVAILABLE');
  });
  log.error = error;
  expect(double.calls).toHaveLength(1);
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

  expect((await ask(tenant, model)).outcome).toBe('200');
  expect(await ledgerOf(tenant)).toHaveLength(1);
});
