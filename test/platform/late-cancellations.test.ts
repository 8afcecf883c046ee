import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { ConnectionPool } from '../../src/platform/database/connection-pool.js';
import { createDatabase } from '../support/database.js';

/** The first packet of a connection that cancels what another one runs. */
const CANCEL_REQUEST = 80_877_102;
const DELAY_MS = 150;
/** Takes longer than a cancellation is on its way. */
const LATER = { text: `select 'done' as outcome, pg_sleep(0.3)` };
const pid = { text: 'select pg_backend_pid() as pid' };

const databaseUrl = await createDatabase();
const sockets = new Set<Socket>();
let swallows = false;
const proxy = await startProxy();
const pool = new ConnectionPool({ connectionString: proxied(), max: 1 });

afterAll(async () => {
  await pool.end();
  for (const socket of sockets) socket.destroy();
  proxy.close();
});

/** A proxy before the database through which cancellations arrive late, or never. */
async function startProxy(): Promise<Server> {
  const { hostname, port } = new URL(databaseUrl);
  const server = createServer((client) => {
    sockets.add(client.on('error', () => undefined));
    client.once('data', (first) => {
      const isCancellation = first.length === 16 && first.readInt32BE(4) === CANCEL_REQUEST;
      if (isCancellation && swallows) return;
      const passOn = () => {
        const target = connect(Number(port), hostname, () => {
          target.write(first);
          client.pipe(target).pipe(client);
        });
        target.on('error', () => client.destroy());
      };
      if (isCancellation) setTimeout(passOn, DELAY_MS);
      else passOn();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function proxied(): string {
  const url = new URL(databaseUrl);
  url.port = String((proxy.address() as AddressInfo).port);
  return url.href;
}

it('cancels what the connection runs', async () => {
  const connection = await pool.connect();
  const running = connection.ask({ text: 'select pg_sleep(30)' });
  pool.cancel(connection);
  await expect(running).rejects.toMatchObject({ code: '57014' });
  connection.release();
});

it('sends no statement that a cancellation on its way would hit', async () => {
  const connection = await pool.connect();
  pool.cancel(connection);
  expect((await connection.ask(LATER)).rows).toMatchObject([{ outcome: 'done' }]);
  connection.release();
});

it('lends a connection again only when its cancellation has arrived', async () => {
  const first = await pool.connect();
  const before = await first.ask(pid);
  pool.cancel(first);
  first.release();
  const second = await pool.connect();
  expect((await second.ask(LATER)).rows).toMatchObject([{ outcome: 'done' }]);
  expect((await second.ask(pid)).rows).toEqual(before.rows);
  second.release();
});

it('closes a connection whose cancellation may still arrive', async () => {
  const first = await pool.connect();
  const before = await first.ask(pid);
  swallows = true;
  pool.cancel(first);
  first.release();
  const second = await pool.connect();
  expect((await second.ask(pid)).rows).not.toEqual(before.rows);
  second.release();
});
