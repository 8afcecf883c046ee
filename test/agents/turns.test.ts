import { connectTo, ledgerOf } from '../gateway/calls.js';
import { details, ref, terminate } from '../sessions/make.js';
import { administratorOf, makeKeyWith, makeTenant, revoke, type Tenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { byReference, makeActiveAgent, type RunBody, runsPath, say } from './make.js';

const service = await startService();
const double = await ModelDouble.start();
afterAll(async () => {
  await service.stop();
  await double.stop();
});

interface Span {
  start_time: string;
  end_time: string;
}

async function withModel(behaviour = '', given: object = {}): Promise<Tenant> {
  const tenant = await makeTenant(service);
  const connectionId = await connectTo(tenant, double, behaviour);
  await makeActiveAgent(service, tenant, { connectionId, fallbackMessage: 'Later.', ...given });
  return tenant;
}

it('a message in a new session gets an answer, a call in the ledger and a trace', async () => {
  const tenant = await makeTenant(service);
  await makeActiveAgent(service, tenant, { welcomeMessage: 'Good day!' });
  const { outcome, body } = await say(tenant, 'order-1', 'Where is it?');
  expect(outcome).toBe('200');
  expect(body).toMatchObject({
    status: 'completed',
    output: [{ type: 'text', content: '[mock] You said: Where is it?' }],
    events: [{ name: 'Welcome_Event', content: { messageToUser: 'Good day!' } }],
    usage: { calls: 1, toolCalls: 0 },
    session: { sessionReference: 'order-1', status: 'idle' },
  });
  const [call, ...others] = await ledgerOf(tenant);
  expect(others).toEqual([]);
  expect(call).toMatchObject({
    traceId: body.traceId,
    sessionId: body.session.sessionId,
    model: 'mock',
    channel: 'api',
    environment: 'production',
    inputTokens: body.usage.inputTokens,
  });
});

it('the model gets the earlier messages of the session', async () => {
  const tenant = await withModel();
  await say(tenant, 'memory', 'I am Ada');
  await say(tenant, 'memory', 'Who am I?');
  const roles = double.last.body.messages!.map(({ role }) => role);
  expect(roles).toEqual(['system', 'user', 'assistant', 'user']);
  expect(JSON.stringify(double.last.body.messages)).toContain('I am Ada');
});

it('the agent’s own model summarizes messages that no longer fit the budget', async () => {
  const tenant = await withModel('', { historyTokens: 500, instructions: '' });
  for (let at = 0; at < 4; at += 1) await say(tenant, 'long', `Turn ${at}: ${'word '.repeat(120)}`);
  const calls = await ledgerOf(tenant);
  const compactions = calls.filter(
    (call) => 'sourceSubtype' in call && call.sourceSubtype === 'conversation_history_compaction',
  );
  expect(compactions.length).toBeGreaterThan(0);
  expect(JSON.stringify(double.last.body.messages)).toContain('A summary of the conversation so far');
  const [session] = (await details(tenant, (await say(tenant, 'long', 'x')).body.session.sessionId)).body.sessions;
  expect(session!.totals.calls).toBe((await ledgerOf(tenant)).length);
});

it.each(['failing', 'no-key', 'html', 'nothing'])(
  'a turn whose model is %s answers with the fallback text, and the next message is answered',
  async (behaviour) => {
    const tenant = await withModel(behaviour);
    const { status, body } = await say(tenant, 'fails', 'Hello');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'failed',
      output: [{ content: 'Later.' }],
      session: { status: 'error' },
      error: { code: 'MODEL_CALL_FAILED' },
    });
    expect((await ledgerOf(tenant)).map(({ status }) => status)).toContain('failed');
  },
);

it('a turn whose model never ends times out', async () => {
  const tenant = await withModel('silent', { timeoutSeconds: 1 });
  const { body } = await say(tenant, 'silent', 'Hello');
  expect(body).toMatchObject({ status: 'failed', error: { code: 'TURN_TIMED_OUT' } });
});

it('an answer is streamed as the model writes it', async () => {
  const tenant = await withModel();
  const answer = await say(tenant, 'stream', 'One two three', { stream: true });
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  const events = answer.text.split('\n\n').filter(Boolean);
  const named = (name: string) => events.filter((text) => text.startsWith(`event: ${name}\n`));
  expect(named('run')).toHaveLength(1);
  const deltas = named('delta').map((text) => (JSON.parse(text.split('data: ')[1]!) as { content: string }).content);
  const done = JSON.parse(named('done')[0]!.split('data: ')[1]!) as { output: { content: string }[] };
  expect(deltas.length).toBeGreaterThan(1);
  expect(deltas.join('')).toBe(done.output[0]!.content);
});

it('the messages of a session are answered one at a time and in order', async () => {
  const tenant = await makeTenant(service);
  await makeActiveAgent(service, tenant);
  const texts = ['1', '2', '3', '4', '5'];
  const answers = await Promise.all(texts.map((text) => say(tenant, 'lane', text)));
  expect(answers.map(({ body }) => body.status)).toEqual(texts.map(() => 'completed'));
  const [session] = (await details(tenant, answers[0]!.body.session.sessionId, { include: ['traces', 'observations'] }))
    .body.sessions;
  const tops = session!.traces.map(({ observations }) => {
    return observations.find(({ parent_observation_id: parent }) => parent === null) as unknown as Span;
  });
  tops.slice(1).forEach((top, at) => expect(top.start_time >= tops[at]!.end_time).toBe(true));
});

it('a turn is cancelled if its session ends', async () => {
  // The model is silent only once, because the summary at the end of the session calls it again.
  const tenant = await withModel('silent-once');
  const waiting = say(tenant, 'ends', 'Hello');
  await eventually(
    () => double.calls.filter(({ path }) => path.startsWith('/silent-once')),
    (calls) => calls.length === 1,
  );
  await terminate(tenant, [ref('ends')]);
  expect((await waiting).body).toMatchObject({
    status: 'failed',
    session: { status: 'terminated' },
    output: [],
    error: { code: 'SESSION_TERMINATED' },
  });
});

it('a turn is cancelled if an administrator cancels its job', async () => {
  const tenant = await withModel('silent');
  const waiting = say(tenant, 'cancelled', 'Hello');
  const jobs = () =>
    service.database.rows<{ id: string }>(`select job_id as id from run where app_id = $1 and state = 'running'`, [
      tenant.appId,
    ]);
  const [job] = await eventually(jobs, ({ length }) => length === 1);
  const cancelled = await administratorOf(service).post(`/api/admin/v1/jobs/${job!.id}/cancel`);
  expect(cancelled.outcome).toBe('200');
  expect((await waiting).body).toMatchObject({
    status: 'failed',
    output: [{ type: 'text', content: 'Later.' }],
    error: { code: 'TURN_FAILED' },
  });
});

it('a turn is cancelled if the key of its caller is revoked', async () => {
  const tenant = await withModel('silent');
  const { api, keyId } = await makeKeyWith(service, tenant, ['RUN_API']);
  const waiting = say({ ...tenant, api }, 'revoked', 'Hello');
  const states = () =>
    service.database.rows<{ state: string; error_code: string }>(
      'select state, error_code from run where app_id = $1',
      [tenant.appId],
    );
  await eventually(states, (rows) => rows[0]?.state === 'running');
  await revoke(service, tenant.appId, keyId);
  expect((await waiting).outcome).toBe('401 API_KEY_REVOKED');
  expect(await eventually(states, (rows) => rows[0]?.state === 'failed')).toEqual([
    { state: 'failed', error_code: 'CLIENT_LEFT' },
  ]);
});

describe('a run under an Idempotency-Key', () => {
  const under = (key: string) => ({ headers: { 'idempotency-key': key } });
  const body = (reference: string, input: string) => ({ sessionIdentity: byReference(reference), input });
  const runsOf = ({ appId }: Tenant) =>
    service.database.rows<{ state: string; error_code: string | null }>(
      'select state, error_code from run where app_id = $1 order by number',
      [appId],
    );

  it('is the same run if the request is repeated, and another one under another key', async () => {
    const tenant = await withModel();
    const send = (input: string, key: string) =>
      tenant.api.post<RunBody>(runsPath(tenant), body('once', input), under(key));
    const first = await send('Hello', 'one');
    const again = await send('Hello', 'one');
    expect(first.outcome).toBe('200');
    expect(first.headers.has('idempotency-replayed')).toBe(false);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect((await send('Another', 'one')).outcome).toBe('422 IDEMPOTENCY_KEY_REUSED');
    expect((await send('Hello', 'two')).body.runId).not.toBe(first.body.runId);
    expect(await runsOf(tenant)).toHaveLength(2);
  });

  it('continues if its caller disconnects, and a repeated request gets its answer', async () => {
    const tenant = await withModel('silent', { timeoutSeconds: 2 });
    const away = new AbortController();
    const init = { method: 'POST', body: JSON.stringify(body('away', 'Hello')), signal: away.signal };
    const headers = { 'content-type': 'application/json', 'x-api-key': tenant.key, 'idempotency-key': 'away' };
    const left = fetch(service.url + runsPath(tenant), { ...init, headers }).catch(() => 'left');
    await eventually(
      () => runsOf(tenant),
      (runs) => runs[0]?.state === 'running',
    );
    away.abort();
    expect(await left).toBe('left');

    const send = () => tenant.api.post<RunBody>(runsPath(tenant), body('away', 'Hello'), under('away'));
    const early = await send();
    expect(early.outcome).toBe('409 IDEMPOTENCY_IN_PROGRESS');
    expect(early.headers.get('retry-after')).toBe('2');
    const { body: answer } = await eventually(send, ({ status }) => status === 200);
    expect(answer).toMatchObject({ status: 'failed', error: { code: 'TURN_TIMED_OUT' } });
    expect(await runsOf(tenant)).toHaveLength(1);
  });

  it('is cancelled if its API key is revoked', async () => {
    const tenant = await withModel('silent');
    const { api, keyId } = await makeKeyWith(service, tenant, ['RUN_API']);
    const waiting = api.post(runsPath(tenant), body('revoked', 'Hello'), under('revoked'));
    await eventually(
      () => runsOf(tenant),
      (runs) => runs[0]?.state === 'running',
    );
    await revoke(service, tenant.appId, keyId);
    expect((await waiting).outcome).toBe('401 API_KEY_REVOKED');
    const runs = await eventually(
      () => runsOf(tenant),
      ([run]) => run?.state === 'failed',
    );
    expect(runs).toMatchObject([{ error_code: 'CLIENT_LEFT' }]);
  });

  it('cannot be a stream', async () => {
    const tenant = await withModel();
    const streamed = { ...body('stream', 'Hello'), stream: true };
    expect(await tenant.api.post(runsPath(tenant), streamed, under('stream'))).toMatchObject({
      outcome: '400 VALIDATION_ERROR',
      faults: ['idempotency-key'],
    });
    expect(await runsOf(tenant)).toEqual([]);
  });
});

it('a run’s output can be read until its session ends', async () => {
  const tenant = await makeTenant(service);
  await makeActiveAgent(service, tenant);
  const { runId, output } = (await say(tenant, 'read', 'Hello')).body;
  const read = () => tenant.api.get(`${runsPath(tenant)}/${runId}`);
  expect((await read()).body).toMatchObject({ runId, status: 'completed', output });
  await terminate(tenant, [ref('read')]);
  expect((await read()).body).toMatchObject({ runId, status: 'completed', output: [] });
});
