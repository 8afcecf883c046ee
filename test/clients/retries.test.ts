import { byReference, NoAnswer, Refusal, Slipway, type SlipwayError } from '../../clients/typescript/src/index.js';
import { makeActiveAgent } from '../agents/make.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { FaultyProxy, type Fault } from './faulty-proxy.js';

const service = await startService();
const tenant = await makeTenant(service);
await makeActiveAgent(service, tenant);
const proxy = await FaultyProxy.start(service.url);
const slipway = new Slipway({ url: proxy.url, apiKey: tenant.key, appId: tenant.appId, projectId: tenant.projectId });
afterAll(() => Promise.all([proxy.stop(), service.stop()]));

const BUSY: Fault = { kind: 'answer', status: 503, headers: { 'retry-after': '0' } };
const LIMITED: Fault = { kind: 'answer', status: 429, headers: { 'retry-after': '0.3' } };
const COMPLETION = { model: 'mock', messages: [{ role: 'user' as const, content: 'Hello' }] };

async function errorOf(call: Promise<unknown>): Promise<SlipwayError> {
  return call.then(
    () => Promise.reject(new Error('The call succeeded')),
    (error: unknown) => error as SlipwayError,
  );
}

it('sends a request again after a 429, and no earlier than the service asks', async () => {
  proxy.next(/me$/, LIMITED);
  const began = performance.now();
  expect((await slipway.me()).key_id).toBe(tenant.keyId);
  expect(performance.now() - began).toBeGreaterThanOrEqual(300);
  expect(proxy.seen).toHaveLength(2);
});

it('does not send a request again after a 429 that does not pass', async () => {
  proxy.next(/apikeys/, {
    kind: 'answer',
    status: 429,
    body: '{"error":{"code":"API_KEY_LIMIT_REACHED","message":"No."}}',
  });
  const error = await errorOf(slipway.keys.create({ scope_name: tenant.scopeName, api_key_name: 'one too many' }));
  expect(error.is('API_KEY_LIMIT_REACHED')).toBe(true);
  expect(proxy.seen).toHaveLength(1);
});

it.each<Fault>([{ kind: 'lost request' }, { kind: 'lost answer' }, { kind: 'cut answer' }, BUSY])(
  'creates one session although there is a fault: $kind',
  async (fault) => {
    const reference = `session with a ${fault.kind}`;
    proxy.next(/sessions$/, fault);
    const sessionIdentity = byReference(reference);
    const opened = await slipway.sessions.create({ sessionIdentity });
    const attempts = proxy.at(/POST .*sessions$/);
    expect(attempts).toHaveLength(2);
    expect(new Set(attempts.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(attempts[1]!.isReplayed).toBe(/answer$/.test(fault.kind) && fault !== BUSY);
    // The repeat of a session that exists already would have no welcome.
    expect(opened).toMatchObject({ events: [{ name: 'Welcome_Event' }] });
    const { total_count: count } = await slipway.sessions.list({ session_reference_id: reference });
    expect(count).toBe(1);
  },
);

it('waits for the answer of a request that still runs', async () => {
  const running = { kind: 'answer', status: 409, headers: { 'retry-after': '0' } } as const;
  const body = '{"error":{"code":"IDEMPOTENCY_IN_PROGRESS","message":"It still runs."}}';
  proxy.next(/sessions$/, ...Array.from({ length: 6 }, () => ({ ...running, body })));
  await slipway.sessions.create({ sessionIdentity: byReference('slow') });
  expect(proxy.seen).toHaveLength(7);
});

it('does not send a model call again whose answer was lost, because the call costs', async () => {
  proxy.next(/completions$/, { kind: 'lost answer' });
  const error = await errorOf(slipway.chat.complete(COMPLETION));
  expect(error).toBeInstanceOf(NoAnswer);
  expect(error.message).toContain(proxy.url);
  expect(proxy.seen).toHaveLength(1);
});

it('sends a model call again that the service was too busy to begin', async () => {
  proxy.next(/completions$/, BUSY);
  expect((await slipway.chat.complete(COMPLETION)).choices).toHaveLength(1);
});

it('ends with the last refusal after all repeats', async () => {
  const client = new Slipway({ url: proxy.url, apiKey: tenant.key, retries: 2 });
  const headers = { 'retry-after': '0', 'x-request-id': 'tr-of-the-test' };
  const body = '{"error":{"code":"OVERLOADED","message":"Later.","details":{"a":1}}}';
  proxy.next(/me$/, ...Array.from({ length: 3 }, () => ({ kind: 'answer' as const, status: 503, headers, body })));
  const error = await errorOf(client.me());
  expect(error).toBeInstanceOf(Refusal);
  expect(error).toMatchObject({ code: 'OVERLOADED', status: 503, requestId: 'tr-of-the-test', details: { a: 1 } });
  expect(proxy.seen).toHaveLength(3);
});

it('says what a proxy in front of the service answered', async () => {
  proxy.next(/tools/, { kind: 'answer', status: 403, body: '<html>Forbidden</html>' });
  const error = await errorOf(slipway.tools.read('t-any'));
  expect(error).toMatchObject({ code: 'HTTP_403', message: '<html>Forbidden</html>' });
});

const PAGE = {
  kind: 'answer',
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: '<!doctype html>',
} as const;

it('says that another server answers, and asks it no more', async () => {
  proxy.next(/./, PAGE, PAGE, PAGE, PAGE);
  const stranger = { code: 'ANSWER_NOT_OF_SLIPWAY', message: expect.stringContaining(proxy.url) as string };
  expect(await errorOf(slipway.me())).toMatchObject(stranger);
  expect(await errorOf(slipway.ledger.csv())).toMatchObject(stranger);
  expect(await errorOf(slipway.jobs.wait('ds-any'))).toMatchObject(stranger);
  expect(
    await errorOf(slipway.runs.stream({ sessionIdentity: byReference('page'), input: 'Hi' }).next()),
  ).toMatchObject(stranger);
  expect(proxy.seen).toHaveLength(4);
});

it('throws its own errors for what it was given', async () => {
  const made = (options: object) => errorOf(Promise.resolve().then(() => new Slipway({ url: proxy.url, ...options })));
  expect(await made({ url: 'localhost:3000' })).toMatchObject({ name: 'SlipwayError', code: 'ADDRESS_MALFORMED' });
  const secret = 'sw_one\nsw_two';
  for (const options of [{ apiKey: secret }, { adminKey: secret }]) {
    const error = await made(options);
    expect(error).toMatchObject({ name: 'SlipwayError', code: 'KEY_MALFORMED' });
    expect(error.message).not.toContain('sw_');
  }
  const reported = slipway.agentAssist.report({ botId: 'st-a', conversationId: 'c' }, { token: 'a\nb' });
  expect(await errorOf(reported)).toMatchObject({ code: 'KEY_MALFORMED' });
  const unreadable = { name: 'SlipwayError', code: 'FILE_NOT_READABLE' };
  expect(await errorOf(slipway.files.upload('/nowhere/a.bin'))).toMatchObject(unreadable);
  expect(await errorOf(slipway.files.upload('/'))).toMatchObject(unreadable);
});

it.each(['', ' ', 'one\ntwo', 'schlüssel', 'x'.repeat(256), 7])(
  'refuses the idempotency key %j before anything is sent',
  async (given) => {
    proxy.next(/./);
    const unplaced = new Slipway({ url: proxy.url, apiKey: tenant.key, adminKey: service.adminKey });
    const options = { idempotencyKey: given as string };
    const calls = [
      () => unplaced.sessions.create({ sessionIdentity: byReference('malformed') }, options),
      () =>
        unplaced.connections.create(
          { provider: 'openai', connectionName: 'a', model: 'a', fields: { API_KEY: 'a' } },
          options,
        ),
      () => unplaced.tools.import({ toolName: 'a', tool: {}, flow: {} }, options).wait(),
      () => unplaced.models.undeploy('cm-any', options).wait(),
      () => unplaced.webhooks.deliveries.replay('wd-any', options),
    ];
    for (const call of calls) {
      const error = await errorOf(call());
      expect(error).toMatchObject({ name: 'SlipwayError', code: 'IDEMPOTENCY_KEY_MALFORMED' });
    }
    expect(proxy.seen).toEqual([]);
  },
);

it('keeps the error of a job that could not begin for the one who waits', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  const imported = slipway.models.import('/nowhere/missing.gguf');
  await new Promise((resolve) => setTimeout(resolve, 200));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
  expect(await errorOf(imported.wait())).toMatchObject({ code: 'FILE_NOT_READABLE' });
});

it('ends at its time limit, with or without repeats', async () => {
  proxy.next(/me$/, { kind: 'silence' });
  expect(await errorOf(slipway.me({ timeoutMs: 50 }))).toMatchObject({ code: 'TIMED_OUT' });
  proxy.next(/me$/, { kind: 'answer', status: 503, headers: { 'retry-after': '60' } });
  // The limit would pass during the pause, so the call ends at once.
  expect(await errorOf(slipway.me({ timeoutMs: 5_000 }))).toMatchObject({ status: 503 });
});

it('ends with the reason of the signal', async () => {
  proxy.next(/me$/, { kind: 'silence' });
  const stop = new AbortController();
  const call = slipway.me({ signal: stop.signal });
  stop.abort(new Error('Enough'));
  await expect(call).rejects.toThrow('Enough');
  await expect(slipway.me({ signal: stop.signal })).rejects.toThrow('Enough');
});

it('gives the code, the sentence and the request id of a refusal of the service', async () => {
  const error = await errorOf(slipway.tools.read('t-nothing'));
  expect(error.is('TOOL_NOT_FOUND')).toBe(true);
  expect(error.is('MODEL_NOT_FOUND', 'FILE_NOT_FOUND')).toBe(false);
  expect(error).toMatchObject({ status: 404, requestId: expect.stringMatching(/^tr-/) as string });
});

it('says which key a call needs that the client was not given', async () => {
  const error = await errorOf(slipway.webhooks.subscriptions.read('s-any'));
  expect(error).toMatchObject({ code: 'KEY_MISSING', message: expect.stringContaining('adminKey') as string });
});
