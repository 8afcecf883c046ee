import { byReference, Slipway, TimedOut } from '../../clients/typescript/src/index.js';
import { makeActiveAgent } from '../agents/make.js';
import { makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { flowOf, toolDocument } from '../tools/make.js';
import { FaultyProxy, type Fault } from './faulty-proxy.js';

const service = await startService();
const tenant = await makeTenant(service);
await makeActiveAgent(service, tenant);
const proxy = await FaultyProxy.start(service.url);
const options = { url: proxy.url, apiKey: tenant.key, appId: tenant.appId, projectId: tenant.projectId };
const slipway = new Slipway(options);
afterAll(() => Promise.all([proxy.stop(), service.stop()]));

const STALLED: Fault = { kind: 'stalled answer' };
const idle = { idleTimeoutMs: 50 };
const message = { sessionIdentity: byReference('silent'), input: 'Hello' };
const request = { model: 'mock', messages: [{ role: 'user' as const, content: 'Hello' }] };
const documents = { tool: toolDocument(), flow: flowOf([]) };

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}

const streams: Record<string, [line: RegExp, read: (client: Slipway, options?: object) => Promise<void>]> = {
  'of a run': [/runs$/, (client, given) => drain(client.runs.stream(message, given))],
  'of a completion': [/completions$/, (client, given) => drain(client.chat.stream(request, given))],
  'of an export': [/ndjson/, (client, given) => drain(client.ledger.export({}, given))],
  'of CSV': [/csv/, async (client, given) => drain(await client.ledger.csv({}, given))],
};

describe.each(Object.entries(streams))('the stream %s', (_name, [line, read]) => {
  it('ends if nothing arrives for a while, and leaves the connection', async () => {
    await slipway.chat.complete(request);
    proxy.next(line, STALLED);
    const error = await read(slipway, idle).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(TimedOut);
    expect(error).toMatchObject({
      code: 'TIMED_OUT',
      message: 'The stream sent nothing for 50 ms. A call takes another limit as idleTimeoutMs.',
    });
    await eventually(() => proxy.at(line)[0]!.isLeft);
  });

  it('has the limit of the client unless the call names another one', async () => {
    proxy.next(line, STALLED);
    const impatient = new Slipway({ ...options, ...idle });
    await expect(read(impatient)).rejects.toMatchObject({ code: 'TIMED_OUT' });
    await read(impatient, { idleTimeoutMs: 60_000 });
  });
});

it('opens the stream of a job again that has become silent', async () => {
  proxy.next(/events$/, STALLED, STALLED);
  const imported = slipway.tools.import({ toolName: 'Silent', ...documents });
  expect(await imported.wait(idle)).toMatchObject({ status: 'SUCCESS' });
  expect(proxy.at(/events$/).length).toBeGreaterThanOrEqual(2);
});

it('does not wait for ever for a job if nothing arrives', async () => {
  const { dockStatusId } = await slipway.tools.import({ toolName: 'Unanswered', ...documents });
  const impatient = new Slipway({ ...options, timeoutMs: 200 });
  proxy.next(/events$/, ...Array.from({ length: 50 }, () => ({ kind: 'silence' }) as const));
  await expect(impatient.jobs.wait(dockStatusId)).rejects.toMatchObject({ code: 'TIMED_OUT' });
});
