import { request, type ServerResponse } from 'node:http';
import { taskPrompt } from '../../src/modules/gateway/gateway.port.js';
import { Gateway } from '../../src/modules/gateway/gateway.service.js';
import type { Id } from '../../src/kernel/ids.js';
import { Log } from '../../src/platform/telemetry/log.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { whileRenamed } from '../support/faults.js';
import { startService } from '../support/service.js';
import { COMPLETIONS, connectTo, ledgerOf } from './calls.js';
import { startOddProvider } from './odd-provider.js';

/** The calls that the provider has received and not begun to answer. */
const waiting: ServerResponse[] = [];
const provider = await startOddProvider();
provider.answer = (_, response) => void waiting.push(response);
const service = await startService({ MODEL_TIMEOUT_SECONDS: '8' });
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const CALLS = 20;
const BEGIN =
  'data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Half"}}]}\n\n';

/** Asks for streamed answers, and waits until the provider has received all calls. */
async function askAll(tenant: Tenant, model: string) {
  waiting.length = 0;
  const clients = Array.from({ length: CALLS }, () => {
    const headers = { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' };
    const asking = request(service.url + COMPLETIONS, { method: 'POST', headers, agent: false });
    asking.on('error', () => undefined);
    asking.end(JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hello' }] }));
    return asking;
  });
  await eventually(() => waiting.length === CALLS);
  return clients;
}

/** Waits until each call is in the ledger, and returns their statuses. */
async function statusesOf(tenant: Tenant, calls = CALLS) {
  const rows = await eventually(
    () => ledgerOf(tenant),
    ({ length }) => length >= calls,
  );
  return rows.map(({ status, statusCode, streamingUsed }) => `${status} ${statusCode} ${streamingUsed}`);
}
const ABANDONED = Array.from({ length: CALLS }, () => 'failed 499 true');

it('a call whose client leaves before the model answers is in the ledger once', async () => {
  const tenant = await makeTenant(service);
  const clients = await askAll(tenant, await connectTo(tenant, provider));
  for (const client of clients) client.destroy();
  expect(await statusesOf(tenant)).toEqual(ABANDONED);
});

it('a call whose client leaves just when the model begins to answer is in the ledger once', async () => {
  const tenant = await makeTenant(service);
  const clients = await askAll(tenant, await connectTo(tenant, provider));
  clients.forEach((client, at) => {
    waiting[at]!.writeHead(200, { 'content-type': 'text/event-stream' });
    waiting[at]!.write(BEGIN);
    client.destroy();
  });
  expect(await statusesOf(tenant)).toEqual(ABANDONED);
});

/** Begins a streamed call whose answer is not read. */
async function unread(tenant: Tenant, abortSignal?: AbortSignal) {
  const origin = { projectId: tenant.projectId as Id<'project'>, appId: tenant.appId as Id<'app'> };
  const request = { prompt: taskPrompt('Answer.', 'Hello'), ...(abortSignal && { abortSignal }) };
  return service.app.get(Gateway, { strict: false }).stream(origin, 'mock', request);
}

describe('a call whose answer is not read', () => {
  const aborted = async (tenant: Tenant) => {
    const caller = new AbortController();
    const { parts } = await unread(tenant, caller.signal);
    caller.abort(new Error('The caller left'));
    return parts;
  };

  it('is in the ledger once it is aborted', async () => {
    const tenant = await makeTenant(service);
    await aborted(tenant);
    expect(await statusesOf(tenant, 1)).toEqual(['failed 499 true']);
  });

  it('throws the reason at a reader who comes after it was aborted', async () => {
    const tenant = await makeTenant(service);
    const parts = await aborted(tenant);
    await expect(parts.next()).rejects.toThrow('The caller left');
    expect(await ledgerOf(tenant)).toHaveLength(1);
  });

  it('throws at a reader who comes after its time', async () => {
    const tenant = await makeTenant(service);
    const { parts } = await unread(tenant);
    expect(await statusesOf(tenant, 1)).toEqual(['failed 499 true']);
    await expect(parts.next()).rejects.toMatchObject({ spec: { code: 'MODEL_CALL_FAILED' } });
  });

  it('leaves a line in the log if it cannot be recorded', async () => {
    const tenant = await makeTenant(service);
    const log = service.app.get(Log);
    const { error } = log;
    const lines: unknown[][] = [];
    log.error = (...line: unknown[]) => void lines.push(line);
    await whileRenamed(service.database, 'observation', async () => {
      await expect((await aborted(tenant)).next()).rejects.toThrow('The caller left');
    });
    log.error = error;
    expect(lines).toMatchObject([[{ err: {} }, 'A call of a model is not in the ledger']]);
  });
});
