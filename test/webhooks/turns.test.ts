import { spawn } from 'node:child_process';
import { makeActiveAgent } from '../agents/make.js';
import { BODIES, makeConnection } from '../connections/make.js';
import { terminate } from '../sessions/make.js';
import { makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { readMetric } from '../support/metrics.js';
import { Receiver } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { accepted, type Channel, openChannel, replyTo, send, untilFollowed } from './channel.js';
import { change, hasEnded, sendTest, subscribe, untilDelivery } from './subscribe.js';

const double = await ModelDouble.start();
const service = await startService({
  VENDOR1_BASE_URL: `${double.url}/silent/v1`,
  VENDOR2_BASE_URL: `${double.url}/refusing/v1`,
});
const receiver = await Receiver.start();
afterAll(async () => {
  await double.stop();
  await service.stop();
  await receiver.stop();
});

/** Opens a channel whose agent calls a model that does not answer, or that refuses. */
async function channelOn(connection: object): Promise<Channel> {
  const tenant = await makeTenant(service);
  const { connectionId } = await makeConnection(tenant, connection);
  const { agentId } = await makeActiveAgent(service, tenant, { connectionId, fallbackMessage: 'Call us instead.' });
  return { tenant, agentId, subscription: await subscribe(service, tenant, { callbackUrl: receiver.url('fallback') }) };
}

it('a turn that failed is answered with the fallback text, and its outcome is failed', async () => {
  const channel = await channelOn(BODIES.Vendor2);
  const message = await accepted(channel, { metadata: { ticket: 7 } });
  const { body } = await replyTo(receiver, message);
  expect(body).toMatchObject({
    message_id: message.message_id,
    response: 'Call us instead.',
    channel_output: { kind: 'text', text: 'Call us instead.' },
    outcome: { status: 'failed', usedFallback: true },
    response_metadata: {
      isLlmGenerated: false,
      responseProvenance: { schemaVersion: 1, kind: 'fallback', disclaimerRequired: false },
    },
    metadata: { ticket: 7 },
  });
  const followed = await untilFollowed(channel, message.message_id, ({ status }) => status === 'failed');
  expect(followed.error).toEqual({ code: expect.any(String) as string, message: expect.any(String) as string });
});

it('the metrics say how long a message waited for its callback, and what its call cost', async () => {
  const channel = await openChannel(service, { callbackUrl: receiver.url('measured') });
  const metrics = async () => ({
    answered: await readMetric(service, 'slipway_message_to_callback_seconds_count'),
    seconds: await readMetric(service, 'slipway_message_to_callback_seconds_sum'),
    calls: await readMetric(service, 'slipway_model_calls_total', { status: 'success' }),
    tokens: await readMetric(service, 'slipway_model_tokens_total', { direction: 'input' }),
    active: await readMetric(service, 'slipway_webhook_subscriptions', { state: 'active' }),
  });
  const before = await metrics();
  await replyTo(receiver, await accepted(channel));
  const after = await eventually(metrics, ({ answered }) => answered > before.answered);
  expect(after.seconds - before.seconds).toBeGreaterThan(0);
  expect(after.seconds - before.seconds).toBeLessThan(20);
  expect(after.calls).toBeGreaterThan(before.calls);
  expect(after.tokens).toBeGreaterThan(before.tokens);
  expect(after.active).toBeGreaterThan(0);
});

it('sixty messages of one session are accepted at once, and answered one after another', async () => {
  const channel = await openChannel(service, { callbackUrl: receiver.url('crowd') });
  const { appId } = channel.tenant;
  const session = { session_key: 'crowd' };
  await accepted(channel, session);
  // Another transaction locks the session for almost as long as a transaction waits for a row.
  const locking = service.database.rows(
    'with locked as (select id from session where app_id = $1 for update) select pg_sleep(1.6) from locked',
    [appId],
  );
  await eventually(() => service.database.rows(`select from pg_stat_activity where wait_event = 'PgSleep'`));
  const crowd = Array.from({ length: 60 }, (_, at) => {
    return send(channel, session, at % 2 === 0 ? {} : { headers: { 'idempotency-key': `crowd-${at}` } });
  });
  expect(new Set((await Promise.all(crowd)).map(({ outcome }) => outcome))).toEqual(new Set(['202']));
  await locking;

  const finishedRuns = () =>
    service.database.rows<{ started_at: Date; finished_at: Date; is_new_session: boolean }>(
      `select started_at, finished_at, is_new_session from run
       where app_id = $1 and finished_at is not null order by number`,
      [appId],
    );
  const runs = await eventually(finishedRuns, ({ length }) => length === 61, 60_000);
  expect(runs.map((run) => run.is_new_session)).toEqual(runs.map((_, at) => at === 0));
  runs.slice(1).forEach((run, at) => expect(run.started_at >= runs[at]!.finished_at).toBe(true));
});

it('more than a hundred waiting messages of one session are refused, and those of another are accepted', async () => {
  const channel = await channelOn(BODIES.Vendor1);
  const session = { session_key: 'patient' };
  const outcomes: string[] = [];
  for (let part = 0; part < 15; part += 1) {
    const answers = await Promise.all(Array.from({ length: 7 }, () => send(channel, session)));
    outcomes.push(...answers.map(({ outcome }) => outcome));
  }
  expect(outcomes.filter((outcome) => outcome === '202')).toHaveLength(101);
  const refused = await send(channel, session);
  expect(refused.outcome).toBe('429 QUEUE_FULL');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await send(channel, { session_key: 'another' })).outcome).toBe('202');
});

it('scripts/receive-callbacks.mjs prints callbacks, and refuses forged ones', async () => {
  const { subscription } = await openChannel(service, { callbackUrl: receiver.url() });
  const { subscriptionId, secret } = subscription;
  const script = spawn(process.execPath, ['scripts/receive-callbacks.mjs', '--port', '0', '--secret', secret]);
  try {
    let output = '';
    script.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    const [callbackUrl = ''] = (await eventually(() => /http:\/\/127[^ \n]+/.exec(output), Boolean)) ?? [];
    await change(service, subscriptionId, { callbackUrl });
    const sent = await untilDelivery(service, await sendTest(service, subscriptionId), hasEnded);
    expect(sent).toMatchObject({ status: 'DELIVERED', attempts: [{ status: 200 }] });
    await eventually(() => output.includes(`agent.response  ${sent.messageId}  Your parcel arrives tomorrow.`));
    const forged = await fetch(callbackUrl, { method: 'POST', body: '{}', headers: { 'webhook-id': 'msg-x' } });
    expect(forged.status).toBe(401);
    await eventually(() => output.includes('NOT GENUINE'));
  } finally {
    script.kill();
  }
});

it('a session is found by its canonical key, whatever key the client chose', async () => {
  const channel = await openChannel(service, { callbackUrl: receiver.url('keys') });
  for (const key of ['y'.repeat(256), ' sp ', 'a\u200bb']) {
    const { session_key: value } = await accepted(channel, { session_key: key });
    expect(value.endsWith(`:${key}`)).toBe(true);
    const { body } = await terminate(channel.tenant, [{ type: 'sessionReference', value }]);
    expect(body).toMatchObject({ status: 'terminated' });
  }
});
