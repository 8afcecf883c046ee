import { makeAgent } from '../agents/make.js';
import { connectTo } from '../gateway/calls.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { ADMIN, Desk, end, entry, exit, makeBot, newConversation, summary } from './bots.js';

const service = await startService();
const tenant = await makeTenant(service);
const double = await ModelDouble.start();
afterAll(async () => {
  await service.stop();
  await double.stop();
});

const agentOf = async (appId: string, wish: object = {}) => {
  return (await makeAgent(service, appId, { instructions: 'You help with parcels.', ...wish })).agentId;
};

const proposals = async (desk: Desk, id: string) => (await desk.read(id)).timeline.map(({ proposal }) => proposal);

it('proposes a reply to what a user says, from what was said before', async () => {
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

it('proposes nothing to what is not sent, comes too late, or is said by an agent, and nothing without an agent', async () => {
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

it('goes on without proposals when the agent’s model is gone', async () => {
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

it('summarizes by the agent where there is no connection', async () => {
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

it('takes an agent of the project and no other', async () => {
  const theirs = await makeTenant(service);
  const agentId = await agentOf(theirs.appId);
  const wish = { name: 'x', agentId };
  const refused = await administratorOf(service).post(`${ADMIN}/projects/${tenant.projectId}/bots`, wish);
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
