import { makeAgent } from '../agents/make.js';
import { connectTo } from '../gateway/calls.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { Receiver, verify } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { deliveries, pathOf, subscribe } from '../webhooks/subscribe.js';
import { ADMIN, Desk, end, entry, exit, makeBot, newConversation, summary } from './bots.js';

const service = await startService();
const tenant = await makeTenant(service);
const double = await ModelDouble.start();
const receiver = await Receiver.start();
afterAll(async () => {
  await service.stop();
  await double.stop();
  await receiver.stop();
});

const agentOf = async (appId: string, input: object = {}) => {
  return (await makeAgent(service, appId, { instructions: 'You help with parcels.', ...input })).agentId;
};

const proposals = async (desk: Desk, id: string) => (await desk.read(id)).timeline.map(({ proposal }) => proposal);

it('a bot’s agent proposes a reply to a user’s message, from the earlier messages', async () => {
  const connectionId = await connectTo(tenant, double);
  const desk = await Desk.open(service, tenant, { agentId: await agentOf(tenant.appId, { connectionId }) });
  const id = newConversation();
  await desk.say(id, 'Where is my parcel?');
  await desk.say(id, 'Which one?', { author: { type: 'AGENT' } });
  await desk.say(id, 'The blue one.');
  const kept = await eventually(
    () => proposals(desk, id),
    ([first, , third]) => first !== null && third !== null,
  );
  expect(kept[1]).toBeNull();
  const asked = double.calls.map(({ body }) => JSON.stringify(body.messages));
  const last = asked.find((messages) => messages.includes('The blue one.'))!;
  expect(last).toContain('You help with parcels.');
  expect(last.indexOf('Where is my parcel?')).toBeLessThan(last.indexOf('Which one?'));
  expect(last.indexOf('Which one?')).toBeLessThan(last.indexOf('The blue one.'));
});

it('no reply is proposed to messages that models may not see, that come too late or that agents write, or without an agent', async () => {
  const desk = await Desk.open(service, tenant, { agentId: await agentOf(tenant.appId) });
  const without = await Desk.open(service, tenant);
  const id = newConversation();
  await without.say(id, 'Hello');
  await desk.say(id, 'My card is 1234', { sendUserMessage: false });
  await desk.say(id, 'Hello', { author: { type: 'AGENT' } });
  await desk.tell(id, entry('NA'), exit('NA'), end());
  await desk.say(id, 'Still there?');
  const other = newConversation();
  await desk.say(other, 'Hello');
  const [text] = await eventually(
    () => proposals(desk, other),
    ([first]) => first !== null,
  );
  expect(text).toBe('[mock] You said: Hello');
  expect((await proposals(desk, id)).every((proposal) => proposal === null)).toBe(true);
  expect(await proposals(without, id)).toEqual([null]);
});

it('hooks work without proposals after the agent’s model is deleted', async () => {
  const connectionId = await connectTo(tenant, double);
  const desk = await Desk.open(service, tenant, { agentId: await agentOf(tenant.appId, { connectionId }) });
  await administratorOf(service).delete(`${ADMIN}/projects/${tenant.projectId}/connections/${connectionId}`);
  const id = newConversation();
  expect((await desk.say(id, 'Hello')).outcome).toBe('200');
  await eventually(async () => {
    const sql = `select 1 from job where name = 'agent-assist.propose' and state = 'done' and data->>'conversationId' = $1`;
    return (await service.database.rows(sql, [id])).length === 1;
  });
  expect(await proposals(desk, id)).toEqual([null]);
});

it('the agent’s model summarizes if the bot has no connection', async () => {
  const connectionId = await connectTo(tenant, double);
  const desk = await Desk.open(service, tenant, { agentId: await agentOf(tenant.appId, { connectionId }) });
  const id = newConversation();
  await desk.say(id, 'Where is my parcel?');
  await desk.tell(id, entry('NA'), exit('NA'), summary(), end());
  const { summaries } = await eventually(
    () => desk.read(id),
    (read) => read.summaries[0]?.status === 'ready',
  );
  expect(summaries).toMatchObject([{ madeBy: 'model' }]);
});

it('a prompt leaves out messages that are too old or too long, and those of agents before the user’s first one', async () => {
  const connectionId = await connectTo(tenant, double);
  const desk = await Desk.open(service, tenant, { agentId: await agentOf(tenant.appId, { connectionId }) });
  const id = newConversation();
  const ofAgent = { author: { type: 'AGENT' } };
  await desk.say(id, `Far too long ago ${'x'.repeat(60_000)}`, ofAgent);
  await desk.say(id, 'Welcome to parcels.', ofAgent);
  await desk.say(id, 'My parcel is lost.');
  await desk.say(id, 'Which colour?', ofAgent);
  await desk.say(id, 'Red as a lobster.');
  await eventually(
    () => proposals(desk, id),
    (kept) => kept[2] !== null && kept[4] !== null,
  );
  const asked = double.calls.map(({ body }) => body.messages).find((all) => JSON.stringify(all).includes('lobster'));
  const texts = JSON.stringify(asked);
  expect(texts).toContain('My parcel is lost.');
  expect(texts).toContain('Which colour?');
  expect(texts).not.toContain('Welcome to parcels.');
  expect(texts).not.toContain('Far too long ago');
});

async function ledgerOf(sessionId: string): Promise<unknown[]> {
  const query = { fromDate: '2020-01-01T00:00:00Z', toDate: '2100-01-01T00:00:00Z', sessionIds: sessionId };
  const path = `/api/public/analytics/projects/${tenant.projectId}/llm-ledger`;
  return (await tenant.api.get<{ generations: unknown[] }>(path, { query })).body.generations;
}

/** Opens a desk whose bot sends proposed replies to a subscription with these properties. */
async function deskWithSubscription(input: object = {}, agent: object = {}) {
  const { subscriptionId, secret } = await subscribe(service, tenant, { callbackUrl: receiver.url(), ...input });
  const agentId = await agentOf(tenant.appId, agent);
  return { desk: await Desk.open(service, tenant, { agentId, subscriptionId }), subscriptionId, secret };
}

async function proposed(desk: Desk, query: string): Promise<string> {
  const id = newConversation();
  await desk.say(id, query);
  const [proposal] = await eventually(
    () => proposals(desk, id),
    ([first]) => first !== null,
  );
  expect(proposal).toBe(`[mock] You said: ${query}`);
  return id;
}

it('a reply is sent to the subscription of the bot, signed, with the message that it answers', async () => {
  const { desk, subscriptionId, secret } = await deskWithSubscription();
  const id = await proposed(desk, 'Is “naïve” 1 < 2?');
  const callback = await eventually(
    () => receiver.callbacks.find(({ body }) => body.session_id === id),
    (one) => one !== undefined,
  );
  expect(verify(callback!, secret)).toEqual({
    message_id: callback!.messageId,
    session_key: `agent_assist:${tenant.projectId}:${desk.botId}:${id}`,
    response: '[mock] You said: Is “naïve” 1 < 2?',
    channel_output: { kind: 'text', text: '[mock] You said: Is “naïve” 1 < 2?' },
    outcome: { status: 'ok', usedFallback: false },
    trace_context: { session_id: id, delivery: 'correlation_only' },
    session_id: id,
    is_new_session: false,
    response_metadata: {
      isLlmGenerated: true,
      responseProvenance: { schemaVersion: 1, kind: 'llm', disclaimerRequired: true, usedLlmInternally: true },
    },
    metadata: { botId: desk.botId, conversationId: id, seq: 1, agentId: 'agent-17', query: 'Is “naïve” 1 < 2?' },
  });
  expect(callback!.event).toBe('agent.response');
  const [delivery, ...others] = await eventually(
    () => deliveries(service, subscriptionId),
    ([first]) => first?.status === 'DELIVERED',
  );
  expect(delivery).toMatchObject({ messageId: callback!.messageId, relatedMessageId: null, attemptCount: 1 });
  expect(others).toEqual([]);
  const rows = await eventually(
    () => ledgerOf(id),
    ({ length }) => length > 0,
  );
  expect(rows).toMatchObject([{ sessionId: id, source: 'runtime', sourceSubtype: 'response_generation' }]);
});

it('a reply is not sent to a subscription that does not want replies, or was deleted', async () => {
  const silent = await deskWithSubscription({ events: ['agent.status'] });
  await proposed(silent.desk, 'Hello');
  expect(await deliveries(service, silent.subscriptionId)).toEqual([]);
  const gone = await deskWithSubscription();
  await administratorOf(service).delete(pathOf(gone.subscriptionId));
  const id = await proposed(gone.desk, 'Anybody?');
  expect(receiver.callbacks.filter(({ body }) => body.session_id === id)).toEqual([]);
  const sql = 'select 1 from webhook_delivery where subscription_id = $1';
  expect(await service.database.rows(sql, [gone.subscriptionId])).toEqual([]);
});

it('a bot accepts a subscription of its project and no other', async () => {
  const theirs = await makeTenant(service);
  const { subscriptionId } = await subscribe(service, theirs, { callbackUrl: receiver.url() });
  const administrator = administratorOf(service);
  const refused = await administrator.post(`${ADMIN}/projects/${tenant.projectId}/bots`, { name: 'x', subscriptionId });
  expect(refused.outcome).toBe('404 SUBSCRIPTION_NOT_FOUND');
  const path = `${ADMIN}/bots/${await makeBot(service, tenant)}`;
  expect((await administrator.patch(path, { subscriptionId })).outcome).toBe('404 SUBSCRIPTION_NOT_FOUND');
  const mine = await subscribe(service, tenant, { callbackUrl: receiver.url() });
  const named = { subscriptionId: mine.subscriptionId };
  expect((await administrator.patch(path, named)).body).toMatchObject({ data: named });
  expect((await administrator.patch(path, { name: 'y' })).body).toMatchObject({ data: named });
  const none = { subscriptionId: null };
  expect((await administrator.patch(path, none)).body).toMatchObject({ data: none });
});

it('a bot accepts an agent of its project and no other', async () => {
  const theirs = await makeTenant(service);
  const agentId = await agentOf(theirs.appId);
  const input = { name: 'x', agentId };
  const refused = await administratorOf(service).post(`${ADMIN}/projects/${tenant.projectId}/bots`, input);
  expect(refused.outcome).toBe('404 AGENT_NOT_FOUND');
  const path = `${ADMIN}/bots/${await makeBot(service, tenant)}`;
  expect((await administratorOf(service).patch(path, { agentId })).outcome).toBe('404 AGENT_NOT_FOUND');
  const mine = await agentOf(tenant.appId);
  expect((await administratorOf(service).patch(path, { agentId: mine })).body).toMatchObject({
    data: { agentId: mine },
  });
  expect((await administratorOf(service).patch(path, { agentId: null })).body).toMatchObject({
    data: { agentId: null },
  });
});
