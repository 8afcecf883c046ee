import { makeTenant, type Tenant } from '../support/actors.js';
import { atTime } from '../support/clock.js';
import { Client, type Refused } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { CANARY } from '../support/providers/misbehaviour.js';
import { startProcess } from '../support/process.js';
import { startService } from '../support/service.js';
import { ask, COMPLETIONS, connectTo, ledgerOf, PROVIDER_KEY } from './calls.js';

const double = await ModelDouble.start();
const service = await startService({ MODEL_TIMEOUT_SECONDS: '1' });
/** A second is too short for several attempts on a busy machine. */
const patient = await startProcess({ ...service.settings, MODEL_TIMEOUT_SECONDS: '60' });
const patiently = (tenant: Tenant): Tenant => ({ ...tenant, api: Client.withKey(patient, tenant.key) });
const tenant = await makeTenant(service);
afterAll(async () => {
  await patient.kill();
  await service.stop();
  await double.stop();
});

interface Expected {
  outcome: string;
  reason: RegExp;
  /** The status in the ledger, which is 500 if the provider gave none. */
  statusCode: number;
  hasStatus: boolean;
  attempts: number;
}

const failed = (reason: RegExp, statusCode: number, attempts = 1): Expected => ({
  outcome: '502 MODEL_CALL_FAILED',
  reason,
  statusCode,
  hasStatus: true,
  attempts,
});
const withoutStatus = (reason: RegExp, attempts = 1) => ({ ...failed(reason, 500, attempts), hasStatus: false });

const NO_ANSWER = /an answer that cannot be read/;

/** The faults of a provider, each with the answer to the client and the number of attempts. */
const FAILURES: Record<string, Expected> = {
  html: failed(NO_ANSWER, 200),
  nothing: failed(NO_ANSWER, 200),
  'other-json': failed(NO_ANSWER, 200),
  silent: withoutStatus(/in time/),
  hangup: withoutStatus(/could not be reached/, 3),
  redirect: failed(/redirect/, 307),
  'no-key': failed(/refused the key/, 401),
  unknown: failed(/does not know/, 404),
  refusing: failed(/refused the request/, 400),
  failing: failed(/failed/, 500, 3),
  busy: { ...failed(/does not accept more requests/, 429), outcome: '503 MODEL_UNAVAILABLE' },
};

describe.each([false, true])('with streaming: %s', (stream) => {
  it.each(Object.entries(FAILURES))('a call fails if its provider is %s', async (behaviour, expected) => {
    const made = await makeTenant(service);
    const own = behaviour === 'silent' ? made : patiently(made);
    const before = double.calls.length;
    const answer = await ask(own, await connectTo(own, double, behaviour), { stream });
    const { error } = answer.body as unknown as Refused;
    expect(answer.outcome).toBe(expected.outcome);
    expect(error.message).toMatch(expected.reason);
    expect(error).toMatchObject({ type: 'api_error', param: null });
    const providerStatus = expected.hasStatus ? expected.statusCode : undefined;
    expect((error.details as { providerStatus?: number }).providerStatus).toBe(providerStatus);
    expect(double.calls.length - before).toBe(expected.attempts);
    expect(answer.text).not.toContain(CANARY);
    if (behaviour === 'busy') expect(answer.headers.get('retry-after')).toBe('60');

    const [row, ...others] = await ledgerOf(own);
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      status: 'failed',
      statusCode: expected.statusCode,
      model: 'llama',
      provider: 'custom',
      streamingUsed: stream,
      payload: { request: { messages: [{ role: 'user', content: 'Hello' }] }, response: null },
    });
    expect(JSON.stringify(row)).not.toContain(CANARY);
    // The step in the trace says why, of which the ledger has only the status.
    const path = `/api/public/apps/${own.appId}/traces/${row!.traceId}`;
    const { body, text } = await own.api.get<{ observations: { statusMessage: string }[] }>(path);
    expect(body.observations).toHaveLength(1);
    expect(body.observations[0]!.statusMessage).toMatch(expected.reason);
    const said = body.observations[0]!.statusMessage.includes(`The status is ${expected.statusCode}.`);
    expect(said).toBe(expected.hasStatus);
    expect(text).not.toContain(CANARY);
  });
});

it('an endless answer is read up to a limit', async () => {
  const answer = await ask(tenant, await connectTo(tenant, double, 'endless'));
  expect((answer.body as unknown as Refused).error.message).toMatch(/exceeds the size limit|in time/);
});

it.each(['half-stream', 'cut-stream', 'halting'])(
  'a stream that ends incomplete has the error as its last event: %s',
  async (how) => {
    const own = await makeTenant(service);
    const { status, text } = await ask(own, await connectTo(own, double, how), { stream: true });
    expect(status).toBe(200);
    const events = text.trim().split('\n\n');
    expect(events.join()).toContain('"content":"Half"');
    expect(events.at(-1)).toContain('MODEL_CALL_FAILED');
    expect(text).not.toContain('[DONE]');
    const rows = await ledgerOf(own);
    expect(rows).toMatchObject([{ status: 'failed', statusCode: 200, payload: { response: { text: 'Half' } } }]);
  },
);

it.each([
  ['unstorable', false],
  ['unstorable-stream', true],
])('a call whose answer has characters that cannot be stored is in the ledger: %s', async (how, stream) => {
  const own = await makeTenant(service);
  const { status, text } = await ask(own, await connectTo(own, double, how), { stream });
  expect(status).toBe(200);
  if (stream) expect(text).toContain('[DONE]');
  expect(await ledgerOf(own)).toMatchObject([{ status: 'success', payload: { response: { text: 'A\ufffdB' } } }]);
});

it('arguments of an earlier call that are nested too deeply are accepted as text', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const called = { id: '1', type: 'function', function: { name: 'f', arguments: `{"a":${deep}}` } };
  const messages = [{ role: 'assistant', content: null, tool_calls: [called] }];
  expect((await ask(tenant, 'mock', { messages })).outcome).toBe('200');
});

it('a call that fails transiently is repeated, and counted once', async () => {
  const own = patiently(await makeTenant(service));
  const before = double.calls.length;
  const answer = await ask(own, await connectTo(own, double, `flaky/${own.projectId}`));
  expect(answer.body.choices[0]!.message.content).toContain('Hello');
  expect(double.calls.length - before).toBe(3);
  expect(await ledgerOf(own)).toMatchObject([{ status: 'success', statusCode: 200 }]);
});

describe('a provider that fails repeatedly', () => {
  it('is not called for a while, then by one call, and by all calls after it has answered', async () => {
    const own = await makeTenant(service);
    const model = await connectTo(own, double, 'silent');
    for (let call = 0; call < 5; call += 1) expect((await ask(own, model)).outcome).toBe('502 MODEL_CALL_FAILED');
    const before = double.calls.length;
    const refused = await ask(own, model);
    expect(refused.outcome).toBe('503 MODEL_UNAVAILABLE');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(double.calls.length).toBe(before);

    await atTime(Date.now() + 11_000, async () => {
      const answers = await Promise.all([ask(own, model), ask(own, model), ask(own, model)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([502, 503, 503]);
    });
    expect(double.calls.length).toBe(before + 1);
  });

  it('is not called by other processes either, until it has answered one of them', async () => {
    const own = await makeTenant(service);
    const model = await connectTo(own, double, `html-at-first/${own.projectId}`);
    const second = await startProcess(service.settings);
    const there = { ...own, api: Client.withKey(second, own.key) };
    for (let call = 0; call < 5; call += 1) expect((await ask(own, model)).outcome).toBe('502 MODEL_CALL_FAILED');
    await eventually(
      () => ask(there, model),
      ({ outcome }) => outcome === '503 MODEL_UNAVAILABLE',
    );
    await atTime(Date.now() + 11_000, async () => {
      expect((await ask(own, model)).outcome).toBe('200');
    });
    // The time of the breaker in the other process is not over, so only the report of the success closes it.
    await eventually(
      () => ask(there, model),
      ({ outcome }) => outcome === '200',
    );
    await second.kill();
  });

  it('is still called if it only refused requests', async () => {
    const model = await connectTo(tenant, double, 'refusing');
    for (let call = 0; call < 7; call += 1) expect((await ask(tenant, model)).outcome).toBe('502 MODEL_CALL_FAILED');
  });
});

it('the connection to a provider is closed when the client leaves, and the call is in the ledger', async () => {
  const own = await makeTenant(service);
  const model = await connectTo(own, double, 'halting');
  const controller = new AbortController();
  const response = await fetch(service.url + COMPLETIONS, {
    method: 'POST',
    headers: { authorization: `Bearer ${own.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
    signal: controller.signal,
  });
  await response.body!.getReader().read();
  controller.abort();
  const [row] = await eventually(
    () => ledgerOf(own),
    (rows) => rows.length === 1,
  );
  expect(row).toMatchObject({ status: 'failed', statusCode: 499, payload: { response: { text: 'Half' } } });
});

it('failed calls leave no secret in answers or in the database', async () => {
  const dump = await service.database.dump();
  expect(dump).not.toContain(PROVIDER_KEY);
  expect(dump).not.toContain(CANARY);
});

it('the key is accepted as a bearer token, and two different keys are refused', async () => {
  const bearer = (headers: Record<string, string>) => new Client(service.url, headers).get('/api/public/llm/v1/models');
  expect((await bearer({ authorization: `Bearer ${tenant.key}` })).outcome).toBe('200');
  expect((await bearer({ authorization: `bearer ${tenant.key}`, 'x-api-key': tenant.key })).outcome).toBe('200');
  const other: Tenant = await makeTenant(service);
  const both = await bearer({ authorization: `Bearer ${tenant.key}`, 'x-api-key': other.key });
  expect(both.outcome).toBe('401 API_KEY_INVALID');
  expect((await bearer({ authorization: 'Basic x' })).outcome).toBe('401 API_KEY_MISSING');
  const elsewhere = await new Client(service.url, { authorization: `Bearer ${tenant.key}` }).get('/api/public/me');
  expect(elsewhere.outcome).toBe('401 API_KEY_MISSING');
});
