import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { byReference, Refusal, Slipway, VERSION, type RunEvent } from '../../clients/typescript/src/index.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { FaultyProxy } from './faulty-proxy.js';

const service = await startService();
const tenant = await makeTenant(service);
const proxy = await FaultyProxy.start(service.url);
afterAll(() => Promise.all([proxy.stop(), service.stop()]));

const package_ = new URL('../../clients/typescript/package.json', import.meta.url);
const place = { appId: 'ap-any', projectId: 'p-any' };
const message = { sessionIdentity: byReference('other'), input: 'Hello' };

interface Answer {
  status?: number;
  type?: string;
  body: string | object;
}

/** A service of another version: it has these routes, and says of others what Slipway says. */
async function withService(routes: Record<string, Answer>, use: (slipway: Slipway, url: string) => Promise<void>) {
  const server = createServer(({ method, url }, response) => {
    const found = Object.entries(routes).find(([line]) => `${method} ${url}`.startsWith(line));
    const missing = { success: false, error: { code: 'ROUTE_NOT_FOUND', message: 'No route answers.' } };
    const { status = 200, type = 'application/json', body } = found?.[1] ?? { status: 404, body: missing };
    response.writeHead(status, { 'content-type': type, 'x-request-id': 'tr-of-the-double' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await use(new Slipway({ url, apiKey: 'sw_any', ...place, retries: 0 }), url);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const RUNS = '/api/v2/apps/ap-any/environments/production/runs';

it('has the version of its package', () => {
  expect(JSON.parse(readFileSync(package_, 'utf8'))).toMatchObject({ version: VERSION });
});

describe('a later service', () => {
  it('may add members, and values of members', async () => {
    const run = { runId: 'r-1', status: 'handed_over', output: [], mood: { of: 'the agent' } };
    await withService({ [`POST ${RUNS}`]: { body: run } }, async (slipway) => {
      expect(await slipway.runs.create(message)).toEqual(run);
    });
  });

  it('may add events to a stream, and members to an event', async () => {
    const events: [string, object][] = [
      ['run', { runId: 'r-1', since: 'now' }],
      ['thought', { content: 'Hm' }],
      ['done', { runId: 'r-1', status: 'handed_over', output: [] }],
    ];
    const body = events.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join('');
    await withService({ [`POST ${RUNS}`]: { type: 'text/event-stream', body } }, async (slipway) => {
      const seen: RunEvent[] = [];
      for await (const event of slipway.runs.stream(message)) seen.push(event);
      expect(seen).toEqual(events.map(([event, data]) => ({ event, data })));
    });
  });

  it.each([
    [{ error: { code: 'QUOTA_OF_TOMORROW', message: 'Come back tomorrow.', more: 1 } }, 'Come back tomorrow.'],
    [{ message: 'Come back tomorrow.' }, 'Come back tomorrow.'],
    [{ error: { code: 'QUOTA_OF_TOMORROW' } }, '{"error":{"code":"QUOTA_OF_TOMORROW"}}'],
  ])('may refuse with a code that the client does not know: %j', async (body, sentence) => {
    await withService({ 'GET /api/public/me': { status: 422, body } }, async (slipway) => {
      const error = await slipway.me().catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(Refusal);
      const code = 'error' in body ? 'QUOTA_OF_TOMORROW' : 'HTTP_422';
      expect(error).toMatchObject({ code, status: 422, message: sentence, requestId: 'tr-of-the-double' });
    });
  });
});

describe('a service without a route that the client calls', () => {
  const document = (version: string) => ({ openapi: '3.1.0', paths: {}, info: { title: 'Slipway', version } });

  it.each([
    ['an older one', { 'GET /openapi.json': { body: document('0.0.9') } }, 'version 0.0.9', '0.0.9'],
    ['one that does not say which it is', {}, 'of an unknown version', null],
    ['one whose document is no document', { 'GET /openapi.json': { body: 'moved' } }, 'of an unknown version', null],
  ])('is named with both versions: %s', async (_name, routes: Record<string, Answer>, said, serviceVersion) => {
    await withService(routes, async (slipway) => {
      const error = await slipway.chat.models().catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(Refusal);
      expect(error).toMatchObject({
        code: 'ROUTE_NOT_FOUND',
        status: 404,
        requestId: 'tr-of-the-double',
        details: { clientVersion: VERSION, serviceVersion },
        message:
          `The service (${said}) does not have GET /api/public/llm/v1/models, which this client ` +
          `(version ${VERSION}) calls. Use the client that belongs to the service's version.`,
      });
    });
  });

  it('is asked for its version as a real service answers', async () => {
    const body = '{"error":{"code":"ROUTE_NOT_FOUND","message":"No."}}';
    proxy.next(/models/, { kind: 'answer', status: 404, body });
    const slipway = new Slipway({ url: proxy.url, apiKey: tenant.key });
    await expect(slipway.chat.models()).rejects.toMatchObject({ details: { serviceVersion: VERSION } });
    // A thing that is missing is not a route that is missing.
    await expect(slipway.tools.read('a-nothing')).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' });
  });
});
