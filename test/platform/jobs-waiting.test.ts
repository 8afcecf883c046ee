import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeActiveAgent, say } from '../agents/make.js';
import { connectTo } from '../gateway/calls.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { Receiver } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { deployedTool, execute, flowOf } from '../tools/make.js';
import { accepted, openChannel, replyTo } from '../webhooks/channel.js';

const SLOTS = 4;
const WAITING = 40;
/** A project that is alone may have half of the waiting jobs and all free slots. */
const MOST_HANGING = WAITING / 2 + SLOTS;
/** Without the rule, it would take the minute for which the other jobs hang. */
const AT_ONCE_MS = 5_000;

const service = await startService({ WORKER_SLOTS: String(SLOTS), WORKER_WAITING: String(WAITING) });
const receiver = await Receiver.start();
const double = await ModelDouble.start();

/** A server that never answers, except below `/begun`, where it sends the beginning of an answer. */
let hanging = 0;
const silent = createServer((request, response) => {
  hanging += 1;
  response.on('close', () => (hanging -= 1));
  if (request.url === '/begun') response.writeHead(200).write('and then');
});
await once(silent.listen(0, '127.0.0.1'), 'listening');

afterAll(async () => {
  silent.closeAllConnections();
  silent.close();
  // The calls that hang end with their connections, so that the service does not wait for them.
  await Promise.all([receiver.stop(), double.stop()]);
  await service.stop();
});

const hangingTool = (tenant: Tenant, path: string) => {
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}${path}`;
  return deployedTool(tenant, { flow: flowOf([{ id: 'h', type: 'http', url, timeoutMs: 60_000 }]) });
};

/** Starts so many runs of a tool. */
async function executeMany(tenant: Tenant, toolId: string, times: number): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: times }, () => execute(tenant, toolId, {}, { isAsync: true, timeoutMs: 120_000 })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
}

async function isAtOnce(work: () => Promise<void>): Promise<void> {
  const begun = performance.now();
  await work();
  expect(performance.now() - begun).toBeLessThan(AT_ONCE_MS);
}

const isExecuted = async (tenant: Tenant, toolId: string) =>
  expect((await execute(tenant, toolId)).body.status).toBe('completed');

const busy = await makeTenant(service);
const [quickTool, silentTool, begunTool] = [
  await deployedTool(busy, { flow: flowOf([]) }),
  await hangingTool(busy, '/'),
  await hangingTool(busy, '/begun'),
];
const other = await openChannel(service, { callbackUrl: receiver.url() });
const othersTool = await deployedTool(other.tenant, { flow: flowOf([]) });

it('lends the slots of jobs that wait for an answer, or for the rest of one, to other jobs of the project', async () => {
  await executeMany(busy, silentTool, SLOTS);
  await executeMany(busy, begunTool, SLOTS);
  await eventually(() => hanging === 2 * SLOTS);
  await isAtOnce(() => isExecuted(busy, quickTool));
});

it('begins jobs of another project at once, however many jobs of the first hang', async () => {
  await executeMany(busy, silentTool, 300);
  await eventually(() => hanging === MOST_HANGING);

  await isAtOnce(() => isExecuted(other.tenant, othersTool));
  await isAtOnce(async () => {
    expect((await say(other.tenant, 'beside', 'Hello')).body.status).toBe('completed');
  });
  await isAtOnce(async () => {
    await replyTo(receiver, await accepted(other));
  });
  expect(hanging).toBe(MOST_HANGING);
});

it('begins jobs of a third project while turns of another one hang, too', async () => {
  const slow = await makeTenant(service);
  await makeActiveAgent(service, slow, { connectionId: await connectTo(slow, double, 'silent') });
  for (let turn = 1; turn <= 3 * SLOTS; turn += 1) {
    // The answer comes when the service stops.
    void say(slow, `session ${turn}`, 'Hello').catch(() => undefined);
  }
  await eventually(() => double.calls.length === 3 * SLOTS);
  await isAtOnce(() => isExecuted(other.tenant, othersTool));
});
