import { connectTo } from '../gateway/calls.js';
import { makeActiveAgent, say } from '../agents/make.js';
import { sendChunk, startedUpload } from '../files/files.js';
import { makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { Receiver } from '../support/receiver.js';
import { leastSent, type Sent } from '../support/sent-statements.js';
import { startService } from '../support/service.js';
import { importedTool, TOOLS } from '../tools/make.js';
import { accepted, follow, openChannel, replyTo } from '../webhooks/channel.js';

const service = await startService();
const receiver = await Receiver.start();
const double = await ModelDouble.start();
afterAll(async () => {
  await service.stop();
  await receiver.stop();
  await double.stop();
});

const TIMES = 12;

function print(what: string, { statements, packets }: Sent): void {
  if (process.env.SHOW_STATEMENTS)
    console.log(`${what}\n${statements.map((each, at) => `${at + 1}. ${each}`).join('\n')}`);
  console.log(`${what}: ${statements.length} statements in ${packets} packets`);
}

const quiet = () =>
  eventually(
    () => service.database.rows(`select from job where state in ('running', 'queued') and every is null`),
    (jobs) => jobs.length === 0,
  );

/**
 * The number of packets depends a little on what happens at the same moment, so two more are accepted. The statements
 * are in the failure, because one that is too many may be sent only now and then.
 */
function expectAtMost(most: { statements: number; packets: number }, { statements, packets }: Sent): void {
  if (statements.length > most.statements)
    throw new Error(`${statements.length} instead of ${most.statements} statements:\n${statements.join(';\n')}`);
  expect(packets).toBeLessThanOrEqual(most.packets + 2);
}

it('a message of the channel, from its request to its callback', async () => {
  const channel = await openChannel(service, { callbackUrl: receiver.url('counted'), events: ['agent.response'] });
  let key = 'first';
  const message = async () => {
    const sent = await accepted(channel, { session_key: key });
    key = sent.session_key;
    await replyTo(receiver, sent);
    await quiet();
  };
  await message();
  const sent = await leastSent(service, TIMES, message);
  print('message', sent);
  expectAtMost({ statements: 26, packets: 16 }, sent);
  expect((await follow(channel, (await accepted(channel, { session_key: key })).message_id)).status).toBeDefined();
});

it('a turn', async () => {
  const tenant = await makeTenant(service);
  await makeActiveAgent(service, tenant);
  await say(tenant, 'counted', 'Hello');
  const sent = await leastSent(service, TIMES, async () => {
    await say(tenant, 'counted', 'Hello');
    await quiet();
  });
  print('turn', sent);
  expectAtMost({ statements: 21, packets: 15 }, sent);
});

it('a request of a key that this process knows', async () => {
  const { api } = await makeTenant(service);
  const me = () => api.get('/api/public/me');
  await me();
  const sent = await leastSent(service, TIMES, me);
  print('known key', sent);
  expect(sent.statements).toEqual([]);
});

it('a call of the gateway', async () => {
  const tenant = await makeTenant(service);
  const model = await connectTo(tenant, double);
  const call = () =>
    tenant.api.post('/api/public/llm/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hello' }] });
  expect((await call()).outcome).toBe('200');
  const sent = await leastSent(service, TIMES, call);
  print('gateway call', sent);
  expectAtMost({ statements: 3, packets: 3 }, sent);
});

it('a job of the dock', async () => {
  const tenant = await makeTenant(service);
  const toolId = await importedTool(tenant);
  const deploy = async () => {
    expect((await tenant.api.post(`${TOOLS}/${toolId}/deploy`, { isAsync: false })).outcome).toBe('200');
    await quiet();
  };
  await deploy();
  const sent = await leastSent(service, TIMES, deploy);
  print('dock job', sent);
  expectAtMost({ statements: 10, packets: 4 }, sent);
});

it('a chunk', async () => {
  const tenant = await makeTenant(service);
  const uploadId = await startedUpload(tenant.api, { totalChunks: 50 });
  let number = 0;
  const chunk = () => sendChunk(tenant.api, uploadId, number++, 'a chunk');
  expect((await chunk()).outcome).toBe('200');
  const sent = await leastSent(service, TIMES, chunk);
  print('chunk', sent);
  expectAtMost({ statements: 6, packets: 4 }, sent);
});
