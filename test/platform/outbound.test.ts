import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { readSettings } from '../../src/platform/config/settings.js';
import { Outbound, type OutboundRequest } from '../../src/platform/outbound/outbound.js';
import { OutboundFault } from '../../src/platform/outbound/outbound.errors.js';
import { eventually } from '../support/eventually.js';
import { settingsFor } from '../support/settings.js';

const LIMITS = { timeoutMs: 5_000, maxBytes: 1_000 };
const settings = settingsFor('postgres://x/y');
const outbound = new Outbound(readSettings(settings));
const strict = new Outbound(readSettings({ ...settings, OUTBOUND_ALLOW_CIDRS: '' }));
const servers: Server[] = [];

afterAll(async () => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
  await Promise.all([outbound.onApplicationShutdown(), strict.onApplicationShutdown()]);
});

async function serverThat(answers: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(answers);
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** Sends a request and returns the text of its answer. */
async function textOf(url: string, init: OutboundRequest = {}, limits = LIMITS, client = outbound): Promise<string> {
  return (await client.fetch(url, init, limits)).text();
}

const fault = (kind: string) => expect.objectContaining({ constructor: OutboundFault, kind }) as Error;
const connectionsOf = (server: Server) =>
  new Promise<number>((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );

it('sends the request and returns the answer', async () => {
  const { url } = await serverThat((request, response) => {
    response.writeHead(418, { 'x-told': `${request.method} ${String(request.headers['x-asked'])}` });
    request.pipe(response);
  });
  const init = { method: 'POST', headers: { 'x-asked': 'yes' }, body: 'hello' };
  const response = await outbound.fetch(url, init, LIMITS);
  expect([response.status, response.headers.get('x-told'), await response.text()]).toEqual([418, 'POST yes', 'hello']);
});

it('connects to no closed address', async () => {
  let asked = 0;
  const { url } = await serverThat((_, response) => response.end(String((asked += 1))));
  await expect(textOf(url, {}, LIMITS, strict)).rejects.toEqual(fault('address'));
  await expect(textOf(url.replace('127.0.0.1', 'localhost'), {}, LIMITS, strict)).rejects.toEqual(fault('address'));
  expect(asked).toBe(0);
  expect(await textOf(url)).toBe('1');
});

it('connects only to the opened port of an address, by number and by name', async () => {
  const [there, beside] = [
    await serverThat((_, response) => response.end('there')),
    await serverThat((_, response) => response.end('beside')),
  ];
  const { host } = new URL(there.url);
  const narrow = new Outbound(
    readSettings({ ...settings, OUTBOUND_ALLOW_CIDRS: `${host},[::1]:${new URL(there.url).port}` }),
  );
  const byName = (url: string) => url.replace('127.0.0.1', 'localhost');
  expect(await textOf(there.url, {}, LIMITS, narrow)).toBe('there');
  expect(await textOf(byName(there.url), {}, LIMITS, narrow)).toBe('there');
  for (const url of [beside.url, byName(beside.url)]) {
    await expect(textOf(url, {}, LIMITS, narrow)).rejects.toEqual(fault('address'));
  }
  await narrow.onApplicationShutdown();
});

it('follows no redirect', async () => {
  const { url } = await serverThat((request, response) => {
    response.writeHead(request.url === '/' ? 307 : 200, { location: '/elsewhere' }).end();
  });
  expect((await outbound.fetch(url, {}, LIMITS)).status).toBe(307);
});

it('reads no byte beyond its limit, and then closes the connection', async () => {
  const { url } = await serverThat((request, response) => response.end('x'.repeat(Number(request.url!.slice(1)))));
  expect(await textOf(`${url}1000`)).toHaveLength(1_000);
  await expect(textOf(`${url}1001`)).rejects.toEqual(fault('tooLarge'));

  const endless = await serverThat((_, response) => {
    const write = (): void =>
      void (response.write('x'.repeat(65_536)) ? setImmediate(write) : response.once('drain', write));
    write();
  });
  await expect(textOf(endless.url)).rejects.toEqual(fault('tooLarge'));
  expect(
    await eventually(
      () => connectionsOf(endless.server),
      (open) => open === 0,
    ),
  ).toBe(0);
});

it('counts the bytes of a compressed answer after unpacking', async () => {
  const { url } = await serverThat((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(1_001)));
  });
  await expect(textOf(url)).rejects.toEqual(fault('tooLarge'));
});

it.each([
  ['gzip', gzipSync('whole')],
  ['X-GZip', gzipSync('whole')],
  ['br', brotliCompressSync('whole')],
  ['gzip, br', brotliCompressSync(gzipSync('whole'))],
  ['gzip', gzipSync('whole', { level: 0 }).subarray(0, -8)],
  ['br', brotliCompressSync('whole').subarray(0, -1)],
  ['unknown', Buffer.from('whole')],
  ['gzip, unknown', Buffer.from('whole')],
  ['br, '.repeat(5) + 'br', Buffer.from('whole')],
])('reads a body of the coding %j', async (coding, body) => {
  const { url } = await serverThat((_, response) => {
    response.writeHead(200, { 'content-encoding': coding }).end(body);
  });
  expect(await textOf(url)).toBe('whole');
});

it.each(['gzip', 'br', 'gzip, br'])('reads no body of the coding %j as none', async (coding) => {
  const { url } = await serverThat((_, response) => response.writeHead(200, { 'content-encoding': coding }).end());
  expect(await textOf(url)).toBe('');
});

it('counts the bytes before each of several codings', async () => {
  const nothing = gzipSync('');
  const packed = gzipSync(Buffer.concat(Array.from({ length: 1_000 }, () => nothing)));
  const { url } = await serverThat((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(packed);
  });
  expect(packed.byteLength).toBeLessThan(LIMITS.maxBytes);
  await expect(textOf(url)).rejects.toEqual(fault('tooLarge'));
});

it('closes the connection of a compressed answer whose reader leaves', async () => {
  const { url, server } = await serverThat((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).write(gzipSync('half'));
  });
  await (await outbound.fetch(url, {}, LIMITS)).body!.cancel();
  expect(
    await eventually(
      () => connectionsOf(server),
      (open) => open === 0,
    ),
  ).toBe(0);
});

it('does not wait for the body of an answer that has none by its status', async () => {
  const { url } = await serverThat((_, response) => void response.writeHead(205).write('half'));
  expect((await outbound.fetch(url, {}, LIMITS)).body).toBeNull();
});

it('says that a body which is not of its coding could not be read, and closes the connection', async () => {
  const { url, server } = await serverThat((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).write('no gzip');
  });
  await expect(textOf(url)).rejects.toEqual(fault('unreachable'));
  expect(
    await eventually(
      () => connectionsOf(server),
      (open) => open === 0,
    ),
  ).toBe(0);
});

it.each([204, 304])('returns an answer %i without a body, and keeps its connections', async (status) => {
  const ports = new Set<number | undefined>();
  const { url } = await serverThat((request, response) => {
    ports.add(request.socket.remotePort);
    response.writeHead(status).end();
  });
  for (let time = 0; time < 9; time += 1) {
    const response = await outbound.fetch(url, {}, LIMITS);
    expect([response.status, response.body]).toEqual([status, null]);
  }
  // A connection rests for a moment between two requests, so there may be two of them.
  expect(ports.size).toBeLessThan(3);
});

it('reads all headers of an answer as they were sent, and refuses a status that HTTP does not have', async () => {
  const { url } = await serverThat((request, response) => {
    if (request.url !== '/') response.writeHead(999).end();
    else response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'], 'x-said': 'caf\u00e9' }).end();
  });
  const { headers } = await outbound.fetch(url, {}, LIMITS);
  expect([headers.getSetCookie(), headers.get('x-said')]).toEqual([['a=1', 'b=2'], 'caf\u00e9']);
  await expect(textOf(`${url}999`)).rejects.toEqual(fault('unreachable'));
});

it('accepts an answer whose reason phrase is in another alphabet', async () => {
  const server = createSocketServer((socket) => {
    socket.end('HTTP/1.1 200 \u041f\u0440\u0438\u043d\u044f\u0442\u043e\r\nContent-Length: 2\r\n\r\nok');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  expect(await textOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)).toBe('ok');
  server.close();
});

it('names the host of the address and no other', async () => {
  const { url } = await serverThat((request, response) => response.end(request.headers.host));
  expect(await textOf(url, { headers: { Host: 'elsewhere.example' } })).toBe(new URL(url).host);
});

it('sends headers that its caller does not give, among them the format of a text and of a form', async () => {
  const { url } = await serverThat((request, response) => {
    const { accept, 'user-agent': agent, 'accept-encoding': codings, 'content-type': type } = request.headers;
    response.setHeader('x-asked', JSON.stringify([accept, agent, codings, type]));
    request.pipe(response);
  });
  const asked = async (init: OutboundRequest) => {
    const response = await outbound.fetch(url, { method: 'POST', ...init }, LIMITS);
    return [...(JSON.parse(response.headers.get('x-asked')!) as unknown[]), await response.text()];
  };
  const form = 'application/x-www-form-urlencoded;charset=UTF-8';
  const fields = new URLSearchParams({ a: 'b&c' });
  expect(await asked({ body: fields })).toEqual(['*/*', 'Slipway', 'gzip, br', form, 'a=b%26c']);
  expect(await asked({ body: 'text' })).toEqual(['*/*', 'Slipway', 'gzip, br', 'text/plain;charset=UTF-8', 'text']);
  const headers = { accept: 'text/plain', 'content-type': 'text/csv' };
  expect(await asked({ body: 'a,b', headers })).toEqual(['text/plain', 'Slipway', 'gzip, br', 'text/csv', 'a,b']);
  expect(await asked({ body: Buffer.from('bytes') })).toEqual(['*/*', 'Slipway', 'gzip, br', null, 'bytes']);
});

it('waits no longer than its time limit, for the first byte and for the last', async () => {
  const silent = await serverThat(() => undefined);
  await expect(textOf(silent.url, {}, { ...LIMITS, timeoutMs: 50 })).rejects.toEqual(fault('timeout'));
  const halting = await serverThat((_, response) => void response.write('half'));
  await expect(textOf(halting.url, {}, { ...LIMITS, timeoutMs: 50 })).rejects.toEqual(fault('timeout'));
  expect(
    await eventually(
      () => connectionsOf(halting.server),
      (open) => open === 0,
    ),
  ).toBe(0);
});

it('stops when its signal is aborted, with the reason of the signal', async () => {
  const { url, server } = await serverThat((_, response) => void response.write('half'));
  const controller = new AbortController();
  const response = await outbound.fetch(url, { signal: controller.signal }, LIMITS);
  controller.abort(new Error('enough'));
  await expect(response.text()).rejects.toThrow('enough');
  expect(
    await eventually(
      () => connectionsOf(server),
      (open) => open === 0,
    ),
  ).toBe(0);
  await expect(textOf(url, { signal: AbortSignal.abort(new Error('never')) })).rejects.toThrow('never');
});

it('distinguishes a failed or broken connection from an answer', async () => {
  const { url } = await serverThat((request) => request.socket.destroy());
  await expect(textOf(url)).rejects.toEqual(fault('unreachable'));
  const half = await serverThat((_, response) => {
    response.writeHead(200, { 'content-length': '10' }).write('half', () => response.destroy());
  });
  await expect(textOf(half.url)).rejects.toEqual(fault('unreachable'));
  await expect(textOf('http://name.invalid/')).rejects.toEqual(fault('unreachable'));
});

it('refuses to save an address that it would not connect to, and says which member has it', () => {
  expect(() => strict.checkAddress('http://10.0.0.1/', 'fields.BASE_URL')).toThrow(/fields\.BASE_URL.+network/);
  expect(() => strict.checkAddress('https://example.com/', 'fields.BASE_URL')).not.toThrow();
  expect(() => outbound.checkAddress('http://127.0.0.1/', 'fields.BASE_URL')).not.toThrow();
});
