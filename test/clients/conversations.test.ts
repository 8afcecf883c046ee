import { byReference, bySessionId, Slipway, type RunEvent } from '../../clients/typescript/src/index.js';
import { makeActiveAgent } from '../agents/make.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { FaultyProxy } from './faulty-proxy.js';

const service = await startService();
const tenant = await makeTenant(service);
await makeActiveAgent(service, tenant, { welcomeMessage: 'Welcome aboard.' });
const proxy = await FaultyProxy.start(service.url);
const slipway = new Slipway({ url: proxy.url, apiKey: tenant.key });
afterAll(() => Promise.all([proxy.stop(), service.stop()]));

const input = 'Where is my order?';

it('goes from a session to a streamed answer and its rows in the ledger, a page at a time', async () => {
  const sessionIdentity = byReference('journey');
  const opened = await slipway.sessions.create({ sessionIdentity });
  const events: RunEvent[] = [];
  for await (const event of slipway.runs.stream({ sessionIdentity, input })) events.push(event);
  const pieces = events.flatMap((event) => (event.event === 'delta' ? [event.data.content] : []));
  const done = events.at(-1)!;
  expect(events[0]!.event).toBe('run');
  expect(done).toMatchObject({ event: 'done', data: { status: 'completed', output: [{ content: pieces.join('') }] } });

  await slipway.runs.create({ sessionIdentity, input });
  const sessionId = 'session' in opened ? opened.session.sessionId : '';
  const pages = [];
  for await (const page of slipway.ledger.pages({ sessionIds: [sessionId], limit: 1 })) pages.push(page);
  expect(pages.map(({ total, generations }) => [total, generations.length])).toEqual([
    [2, 1],
    [2, 1],
  ]);
  const { groups } = await slipway.ledger.summary({ sessionIds: [sessionId], groupBy: 'model' });
  expect(groups).toMatchObject([{ key: 'mock', calls: 2 }]);
  const exported = [];
  for await (const call of slipway.ledger.export({ sessionIds: [sessionId] })) exported.push(call.id);
  expect(exported).toEqual(
    pages.flatMap(({ generations }) => generations.map(({ id }) => id)).sort(byPlaceIn(exported)),
  );
  expect(await slipway.ledger.read(exported[0]!)).toMatchObject({ model: 'mock' });

  expect(await slipway.sessions.details(sessionId, { include: ['traces'] })).toMatchObject({ traces: [{}, {}] });
  expect(await slipway.sessions.terminate({ sessionIdentity: bySessionId(sessionId) })).toMatchObject({
    status: 'terminated',
  });
});

it('sends a message once although the answer is lost', async () => {
  const sessionIdentity = byReference('a lost answer');
  proxy.next(/runs$/, { kind: 'lost answer' });
  const run = await slipway.runs.create({ sessionIdentity, input });
  expect(run.status).toBe('completed');
  expect(proxy.at(/runs$/).map(({ isReplayed }) => isReplayed)).toEqual([false, true]);
});

it('ends a stream with the run as it ended although the connection is lost', async () => {
  proxy.next(/runs$/, { kind: 'cut answer' });
  const events: RunEvent[] = [];
  for await (const event of slipway.runs.stream({ sessionIdentity: byReference('cut'), input })) events.push(event);
  expect(proxy.at(/GET .*runs\/r-/).length).toBeGreaterThan(0);
  expect(events.filter(({ event }) => event === 'done')).toHaveLength(1);
  expect(['completed', 'failed']).toContain((events.at(-1)!.data as { status: string }).status);
});

it('streams a completion of a model, and returns the whole one', async () => {
  const request = { model: 'mock', messages: [{ role: 'user' as const, content: 'Hello' }] };
  let text = '';
  for await (const { choices } of slipway.chat.stream(request)) text += choices[0]?.delta.content ?? '';
  const whole = await slipway.chat.complete(request);
  expect(text).toBe(whole.choices[0]!.message.content);
  expect((await slipway.chat.models()).map(({ id }) => id)).toContain('mock');
});

it('throws a refusal of a stream like any other', async () => {
  const stream = slipway.chat.stream({ model: 'nothing', messages: [{ role: 'user', content: 'Hello' }] });
  await expect(stream.next()).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND', status: 404 });
});

function byPlaceIn(list: readonly string[]) {
  return (a: string, b: string) => list.indexOf(a) - list.indexOf(b);
}
