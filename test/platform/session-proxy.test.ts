import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { administratorOf } from '../support/actors.js';
import { createDatabase } from '../support/database.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';

/** PostgreSQL names the process of a connection in this message: its type, its length of twelve bytes, and two numbers. */
const KEY_DATA = Buffer.from([0x4b, 0, 0, 0, 12]);

/** Passes each connection on, and names another process than the server's, because it would answer cancellations itself. */
async function startProxy(databaseUrl: string): Promise<{ server: Server; url: string }> {
  const target = new URL(databaseUrl);
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      socket.on('error', () => undefined).once('close', () => [client, upstream].forEach((each) => each.destroy()));
    }
    client.pipe(upstream);
    let isNamed = false;
    upstream.on('data', (bytes: Buffer) => {
      const at = isNamed ? -1 : bytes.indexOf(KEY_DATA);
      if (at >= 0) bytes.writeUInt32BE(1_234_567, at + KEY_DATA.length);
      isNamed ||= at >= 0;
      client.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, url: url.href };
}

it('serves through a proxy that keeps sessions and passes the time limits on, without a direct address', async () => {
  const direct = await createDatabase();
  const proxy = await startProxy(direct);
  const service = await startProcess({ ...settingsFor(proxy.url), SLIPWAY_ROLE: 'all' });
  try {
    const answer = await administratorOf(service).post('/api/admin/v1/projects', { name: 'Proxied' });
    expect(answer.outcome).toBe('201');
  } finally {
    await service.stop();
    proxy.server.close();
  }
});
