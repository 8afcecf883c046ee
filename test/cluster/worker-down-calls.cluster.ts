import { makeActiveAgent, say } from '../agents/make.js';
import { ask, connectTo, ledgerOf } from '../gateway/calls.js';
import { CallWriting } from '../../src/modules/gateway/call-writing.js';
import { Log } from '../../src/platform/telemetry/log.js';
import type { Tenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { Workers } from './workers.js';

const service = await startService();
const workers = new Workers(service);
const double = await ModelDouble.start();
// A call is tried again at once, so each fails by the worker itself.
service.app.get(CallWriting).retryMs = 0;
afterAll(async () => {
  await service.stop();
  await double.stop();
});

/** The calls that the log names, because the ledger does not have them. */
const unwritten: { projectId: string; callId: string; inputTokens: number }[] = [];
const log = service.app.get(Log);
const { error } = log;
log.error = (members: unknown, ...line: unknown[]) => {
  if (line[0] === 'A call of a model is not in the ledger') unwritten.push(members as (typeof unwritten)[number]);
  error.call(log, members, ...(line as [string]));
};
const unwrittenOf = ({ projectId }: Tenant) => unwritten.filter((call) => call.projectId === projectId);

it('a call of the gateway is refused and logged once, and no model is called until the worker is back', async () => {
  const [ofUp, ofDown] = [await workers.makeTenantOn(0), await workers.makeTenantOn(1)];
  const models = new Map([
    [ofUp, await connectTo(ofUp, double)],
    [ofDown, await connectTo(ofDown, double)],
  ]);
  const call = (tenant: Tenant, more?: object) => ask(tenant, models.get(tenant)!, more);
  const before = double.calls.length;
  await workers.whileDown(1, async () => {
    expect((await call(ofDown)).outcome).toBe('503 DATABASE_UNAVAILABLE');
    expect(double.calls).toHaveLength(before + 1);
    expect((await call(ofDown)).outcome).toBe('503 DATABASE_UNAVAILABLE');
    expect((await call(ofDown, { stream: true })).outcome).toBe('503 DATABASE_UNAVAILABLE');
    expect(double.calls).toHaveLength(before + 1);
    expect((await call(ofUp)).outcome).toBe('200');
  });
  expect(unwrittenOf(ofDown)).toMatchObject([{ callId: expect.any(String) as string, err: {} }]);
  expect((await call(ofDown)).outcome).toBe('200');
  for (const tenant of [ofUp, ofDown]) expect(await ledgerOf(tenant)).toHaveLength(1);
});

it('a turn waits for the worker, calls its model twice, and is answered', async () => {
  const tenant = await workers.makeTenantOn(1);
  await makeActiveAgent(service, tenant, { connectionId: await connectTo(tenant, double) });
  const before = double.calls.length;
  let answered: ReturnType<typeof say> | undefined;
  await workers.whileDown(1, async () => {
    answered = say(tenant, 'order-1', 'Where is it?');
    const forgiven = () =>
      service.database.rows(`select from job where name = 'agents.turn' and project_id = $1 and forgiven > 1`, [
        tenant.projectId,
      ]);
    await eventually(forgiven, ({ length }) => length === 1, 60_000);
    expect(double.calls).toHaveLength(before + 1);
  });
  const { outcome, body } = await answered!;
  expect(outcome).toBe('200');
  expect(body).toMatchObject({ status: 'completed', usage: { calls: 1 } });
  expect(double.calls).toHaveLength(before + 2);
  expect(unwrittenOf(tenant)).toHaveLength(1);
  expect(await ledgerOf(tenant)).toHaveLength(1);
});
