import { newId } from '../../src/kernel/ids.js';
import { makeActiveAgent, say } from '../agents/make.js';
import { ask, COMPLETIONS, connectTo, ledgerOf } from '../gateway/calls.js';
import { aCall, write } from '../ledger/calls.js';
import { administratorOf, makeTenant, type Tenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { aSpan, CHAT, exportOf, sent } from '../traces/spans.js';

const double = await ModelDouble.start();
const service = await startService({ MODEL_TIMEOUT_SECONDS: '1' });
afterAll(() => Promise.all([service.stop(), double.stop()]));

interface Problem {
  kind: string;
  message: string;
  subject: string;
}

const problemsOf = async ({ projectId }: Tenant) => {
  const path = `/api/admin/v1/projects/${projectId}/problems`;
  return (await administratorOf(service).get<{ data: Problem[] }>(path)).body.data;
};

const named = (failed: string, connectionId: string) =>
  expect.stringMatching(`^${failed} The connection is “[^“”]+” \\(${connectionId}\\)\\.$`) as string;

const failing = (subject: string, calls: string) => ({
  kind: 'CONNECTION_FAILING',
  message: named(`${calls} of “llama” failed in the last hour.`, subject),
  subject,
});

const withoutConnection = (calls: string, model = 'llama'): Problem => ({
  kind: 'MODEL_CALLS_FAILING',
  message: `${calls} of “${model}” failed in the last hour.`,
  subject: model,
});

/** A failed call that another program writes into the ledger, as if the gateway had made it. */
const foreign = (more: object = {}) => {
  const like = { model: 'llama', provider: 'custom', environment: 'production', channel: 'api', channelType: 'api' };
  return aCall({ ...like, timestamp: new Date().toISOString(), status: 'failed', source: 'runtime', ...more });
};

/** Asks, and leaves while the model answers. */
async function leave(tenant: Tenant, model: string, stream: boolean): Promise<void> {
  const before = double.calls.length;
  const controller = new AbortController();
  const asking = fetch(service.url + COMPLETIONS, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Hello' }] }),
    signal: controller.signal,
  });
  const left = expect(asking.then((response) => response.text())).rejects.toThrow(/abort/);
  await (stream ? asking : eventually(() => double.calls.length > before));
  controller.abort();
  await left;
}

describe('failed calls name their connection', () => {
  it('if the gateway made them, and not if others wrote them', async () => {
    const tenant = await makeTenant(service);
    const connectionId = await connectTo(tenant, double, 'no-key');
    await write(tenant, foreign(), foreign({ callId: newId('observation') }));
    const attributes = { ...CHAT, 'gen_ai.provider.name': 'custom', 'gen_ai.request.model': 'llama' };
    await sent(tenant, exportOf([aSpan({ attributes, status: { code: 2 } })]));
    expect(await problemsOf(tenant)).toEqual([withoutConnection('3 calls')]);
    await ask(tenant, connectionId);
    expect(await problemsOf(tenant)).toEqual([failing(connectionId, '1 call'), withoutConnection('3 calls')]);
  });

  it('if an agent made them', async () => {
    const tenant = await makeTenant(service);
    const connectionId = await connectTo(tenant, double, 'no-key');
    await makeActiveAgent(service, tenant, { connectionId });
    await say(tenant, 'me', 'Hello');
    expect(await problemsOf(tenant)).toEqual([failing(connectionId, '1 call')]);
  });

  it('if others have the same model at the same provider', async () => {
    const tenant = await makeTenant(service);
    const [first, second] = [await connectTo(tenant, double, 'no-key'), await connectTo(tenant, double, 'unknown')];
    await connectTo(tenant, double, 'no-key');
    await ask(tenant, first);
    await ask(tenant, second);
    await ask(tenant, second);
    expect(await problemsOf(tenant)).toEqual([failing(second, '2 calls'), failing(first, '1 call')]);
  });

  it.each(['redirect', 'no-key', 'unknown', 'busy', 'slow', 'failing', 'silent', 'html'])(
    'if the provider is %s',
    async (behaviour) => {
      const tenant = await makeTenant(service);
      const connectionId = await connectTo(tenant, double, behaviour);
      await ask(tenant, connectionId);
      expect(await problemsOf(tenant)).toEqual([failing(connectionId, '1 call')]);
    },
  );

  it('unless it was deleted since', async () => {
    const tenant = await makeTenant(service);
    const deleted = await connectTo(tenant, double, 'no-key');
    await ask(tenant, deleted);
    await administratorOf(service).delete(`/api/admin/v1/projects/${tenant.projectId}/connections/${deleted}`);
    await connectTo(tenant, double);
    expect(await problemsOf(tenant)).toEqual([]);
  });

  it('also among many invented models in the ledger', async () => {
    const tenant = await makeTenant(service);
    const connectionId = await connectTo(tenant, double, 'no-key');
    const invented = Array.from({ length: 25 }, (_, at) => [
      foreign({ model: `invented-${at}` }),
      foreign({ model: `invented-${at}` }),
    ]);
    await write(tenant, ...invented.flat());
    await ask(tenant, connectionId);
    const [first, ...others] = await problemsOf(tenant);
    expect(first).toEqual(failing(connectionId, '1 call'));
    expect(others).toHaveLength(20);
    expect(others).toContainEqual(withoutConnection('2 calls', 'invented-0'));
  });
});

describe('a call is not the fault of its connection', () => {
  it.each([false, true])('if its callers leave, with streaming: %s', async (stream) => {
    const tenant = await makeTenant(service);
    const connectionId = await connectTo(tenant, double, stream ? 'halting' : 'silent');
    for (let call = 0; call < 5; call += 1) await leave(tenant, connectionId, stream);
    const rows = await eventually(
      () => ledgerOf(tenant),
      ({ length }) => length === 5,
    );
    expect(rows.map(({ status, statusCode }) => `${status} ${statusCode}`)).toEqual(Array(5).fill('failed 499'));
    expect(await problemsOf(tenant)).toEqual([]);
  });

  it('if the provider refuses its request', async () => {
    const tenant = await makeTenant(service);
    const connectionId = await connectTo(tenant, double, 'refusing');
    expect((await ask(tenant, connectionId)).outcome).toBe('502 MODEL_CALL_FAILED');
    expect(await ledgerOf(tenant)).toMatchObject([{ status: 'failed', statusCode: 400 }]);
    expect(await problemsOf(tenant)).toEqual([]);
  });

  it('unless the provider refuses each of several requests', async () => {
    const tenant = await makeTenant(service);
    const refusing = await connectTo(tenant, double, 'refusing');
    for (let call = 0; call < 4; call += 1) await ask(tenant, refusing);
    expect(await problemsOf(tenant)).toEqual([]);
    await ask(tenant, refusing);
    expect(await problemsOf(tenant)).toEqual([withoutConnection('5 calls')]);
    await ask(tenant, await connectTo(tenant, double));
    expect(await problemsOf(tenant)).toEqual([]);
  });
});

it('finds connections whose master key is missing', async () => {
  const tenant = await makeTenant(service);
  const unreadable = [];
  for (const beginning of ['v1.7.', 'v1.11.', 'v2.1.']) {
    const connectionId = await connectTo(tenant, double);
    const spoil = `update connection set secrets_sealed = replace(secrets_sealed, 'v1.1.', $2) where id = $1`;
    await service.database.rows(spoil, [connectionId, beginning]);
    unreadable.push({ kind: 'CONNECTION_UNREADABLE', subject: connectionId });
  }
  await connectTo(tenant, double);
  expect(await problemsOf(tenant)).toMatchObject(unreadable);
});

it('finds connections beyond the oldest hundred', async () => {
  const tenant = await makeTenant(service);
  for (let made = 0; made < 100; made += 1) await connectTo(tenant, double);
  const [unreadable, refused] = [await connectTo(tenant, double), await connectTo(tenant, double, 'no-key')];
  const spoil = `update connection set secrets_sealed = replace(secrets_sealed, 'v1.1.', 'v1.7.') where id = $1`;
  await service.database.rows(spoil, [unreadable]);
  await ask(tenant, refused);
  expect(await problemsOf(tenant)).toMatchObject([
    { kind: 'CONNECTION_UNREADABLE', subject: unreadable },
    failing(refused, '1 call'),
  ]);
});

it.each([
  ['gpt. The connection “Prod” failed. Send', 'gpt. The connection "Prod" failed. Send'],
  ['gpt” failed.\n\u202eThe', 'gpt" failed.  The'],
  ['x'.repeat(200), `${'x'.repeat(79)}…`],
])('the name of a model does not look like a sentence: %j', async (model, shown) => {
  const tenant = await makeTenant(service);
  await write(tenant, foreign({ model }));
  expect(await problemsOf(tenant)).toEqual([{ ...withoutConnection('1 call', shown), subject: model }]);
});
