import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { freePort } from '../../scripts/services/server-process.mjs';
import { type Front, FRONTS, startFront } from '../faults/front-program.js';
import { complete, open, sendChunk, startedUpload } from '../files/files.js';
import { COMPLETIONS, connectTo } from '../gateway/calls.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { mustStream } from '../support/event-stream.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { settingsFor } from '../support/settings.js';

const ME = '/api/public/me';
const CHAT = { model: 'mock', messages: [{ role: 'user', content: 'Hello' }] };
const CHUNK_BYTES = 20 * 1024 * 1024;
const FAILED_AUTH = 3;
const CLIENTS = 8;
const PATIENCE_MS = 30_000;
const FROZEN_MS = 12_000;
/** A request that takes longer has waited for a frozen process. */
const SLOW_MS = 5_000;
/** The time that docs/running.md names. */
const LEFT_OUT_WITHIN_MS = 4_000;

const authorities = getCACertificates('default');
const ports = [await freePort(), await freePort()] as const;
let double: ModelDouble;
let start: (place: 0 | 1) => Promise<ServiceProcess>;
let processes: [ServiceProcess, ServiceProcess];
let tenant: Tenant;

beforeAll(async () => {
  double = await ModelDouble.start();
  const settings = {
    ...settingsFor(await createDatabase()),
    SLIPWAY_ROLE: 'api',
    STOP_DELAY_SECONDS: '5',
    TRUST_PROXY: '127.0.0.1',
    PUBLIC_URL: 'https://slipway.test',
    RATE_LIMIT_FAILED_AUTH: String(FAILED_AUTH),
  };
  start = (place) => startProcess({ ...settings, PORT: String(ports[place]) });
  processes = [await start(0), await start(1)];
  tenant = await makeTenant(processes[0]);
});
afterAll(async () => {
  setDefaultCACertificates(authorities);
  await Promise.all(processes.map((process) => process.kill()));
  await double.stop();
});

interface Sent {
  at: number;
  /** How long the answer took. */
  ms: number;
  failure: string | undefined;
}

const KINDS = [
  { path: ME, expected: '"app_id"' },
  { path: COMPLETIONS, body: CHAT, expected: '[mock] You said' },
  { path: COMPLETIONS, body: { ...CHAT, stream: true }, expected: 'data: [DONE]' },
];

/** Returns why the request failed. A balancer must not repeat two of the three kinds. */
async function failureOf(url: string, { path, body, expected }: (typeof KINDS)[number]): Promise<string | undefined> {
  const headers = { 'x-api-key': tenant.key, 'content-type': 'application/json' };
  const content = body && { method: 'POST', body: JSON.stringify(body) };
  try {
    const response = await fetch(url + path, { headers, ...content, signal: AbortSignal.timeout(PATIENCE_MS) });
    const text = await response.text();
    return response.status === 200 && text.includes(expected) ? undefined : `${response.status} ${text}`;
  } catch (error) {
    return `${String(error)}: ${String((error as Error).cause)}`;
  }
}

/** Returns all requests that clients have sent, each after its last answer, while `work` was done. */
async function sentDuring(url: string, work: () => Promise<void>): Promise<Sent[]> {
  const sent: Sent[] = [];
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let count = client; !isOver; count += 1) {
      const at = performance.now();
      const failure = await failureOf(url, KINDS[count % KINDS.length]!);
      sent.push({ at, ms: performance.now() - at, failure });
    }
  });
  try {
    await wait(2_000);
    await work();
    await wait(3_000);
  } finally {
    isOver = true;
    await Promise.all(clients);
  }
  return sent;
}

/** Sends a bad key from an address of this machine, and returns the status of the answer. */
async function statusOfBadKey(url: string, localAddress: string, headers: Record<string, string> = {}) {
  const outgoing = request(url + ME, { localAddress, agent: false, headers: { 'x-api-key': 'sw_bad', ...headers } });
  const [response] = (await once(outgoing.end(), 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

describe.each(FRONTS)('the configuration of docs/running.md for %s', (name) => {
  let front: Front;
  let api: Client;
  beforeAll(async () => {
    front = await startFront(name, ports);
    setDefaultCACertificates([...authorities, front.certificate]);
    api = Client.withKey(front, tenant.key);
  });
  afterAll(() => front?.stop());

  it('passes a completion, and each event of a stream at once', async () => {
    expect((await api.post(COMPLETIONS, CHAT)).text).toContain('[mock] You said: Hello');
    // This provider sends one event and then nothing, so a balancer with a buffer would pass nothing.
    const model = await connectTo(tenant, double, 'halting');
    const body = { ...CHAT, model, stream: true };
    const stream = await mustStream(front, { key: tenant.key, path: COMPLETIONS, body });
    let text = '';
    while (!text.includes('Half')) text += await stream.next();
    await stream.close();
  });

  it('passes a chunk of 20 MiB, and the file', async () => {
    const content = Buffer.alloc(CHUNK_BYTES, 'abcdefghijk');
    const sessionId = await startedUpload(api, { fileSize: content.length, totalChunks: 1 });
    expect((await sendChunk(api, sessionId, 0, content)).outcome).toBe('200');
    const { pathname, search } = new URL((await complete(api, sessionId)).body.url);
    expect((await open(front.url + pathname + search)).bytes.equals(content)).toBe(true);
  });

  it('passes the cookie of the console, which browsers keep for HTTPS alone', async () => {
    const headers = { 'x-api-key': processes[0].adminKey };
    const signedIn = await new Client(front.url).post('/api/admin/v1/console-sessions', undefined, { headers });
    expect(signedIn.outcome).toBe('201');
    expect(signedIn.headers.get('set-cookie')).toMatch(/^__Host-slipway-console-[\w-]+=\w{43}; .*; Secure$/);
  });

  it('leads requests of HTTP to HTTPS, if it listens for them', async () => {
    if (!front.httpUrl) return;
    const { status, headers } = await fetch(front.httpUrl + ME, { redirect: 'manual' });
    // Caddy's port of HTTPS is an inner one. Outside it is 443, which an address need not name.
    expect([status, headers.get('location')]).toEqual([308, `https://127.0.0.1${ME}`]);
  });

  it('passes a header of 900 KB', async () => {
    const headers = { 'x-long': 'x'.repeat(900_000) };
    expect((await api.get(ME, { headers })).outcome).toBe('200');
  });

  it('names the address of the client, which a client cannot choose', async () => {
    // No front has counted failures of these two addresses of this machine yet.
    const [one, other] = [2, 3].map((last) => `127.0.${FRONTS.indexOf(name)}.${last}`) as [string, string];
    for (let count = 0; count < FAILED_AUTH; count += 1) expect(await statusOfBadKey(front.url, one)).toBe(401);
    expect(await statusOfBadKey(front.url, one)).toBe(429);
    expect(await statusOfBadKey(front.url, one, { 'x-forwarded-for': '203.0.113.7' })).toBe(429);
    expect(await statusOfBadKey(front.url, other)).toBe(401);
    // A process on the machine of its balancer would otherwise take every request for one of this machine.
    expect((await fetch(`${front.url}/metrics`)).status).toBe(403);
  });

  it('loses no request while all processes are replaced', async () => {
    const sent = await sentDuring(front.url, async () => {
      for (const place of [0, 1] as const) {
        await front.setDown?.(place, true);
        expect(await processes[place].stop()).toEqual({ code: 0, signal: null });
        processes[place] = await start(place);
        await front.setDown?.(place, false);
      }
    });
    expect(sent.filter(({ failure }) => failure !== undefined)).toEqual([]);
    expect(sent.length).toBeGreaterThan(100);
  });

  it('goes on while a process is frozen', async () => {
    let frozenAt = 0;
    const sent = await sentDuring(front.url, async () => {
      frozenAt = performance.now();
      processes[0].freeze();
      await wait(FROZEN_MS);
      processes[0].thaw();
    });
    // NGINX does not notice, but prefers the process with fewer requests, so that not all clients wait.
    const waited = sent.filter(({ ms, failure }) => ms > SLOW_MS || failure !== undefined);
    expect(waited.length).toBeLessThan(CLIENTS);
    if (name === 'haproxy') expect(waited.filter(({ at }) => at > frozenAt + LEFT_OUT_WITHIN_MS)).toEqual([]);
    expect(sent.filter(({ at }) => at > frozenAt && at < frozenAt + FROZEN_MS).length).toBeGreaterThan(100);
  });
});
