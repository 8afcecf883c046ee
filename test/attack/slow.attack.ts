import { spawn, spawnSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { report, SLACK, startAttacked } from './attacked.js';
import { Neighbour } from './neighbour.js';

const CLIENTS = 300;
const EACH_MS = 1_000;
/** The time in which the service expects a request to arrive, and some time until it checks its connections. */
const PATIENCE_MS = 45_000;
const NEIGHBOUR_MS = 1_000;

const service = await startAttacked();
const tenant = await makeTenant(service);
const neighbour = Neighbour.withKey(service, (await makeTenant(service)).key);
const { hostname, port } = new URL(service.url);
const sockets = new Set<Socket>();
afterAll(() => service.stop());
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await service.expectLive();
});

function connected(begin: string): Socket {
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(begin);
  sockets.add(socket);
  return socket;
}

const isOver = (socket: Socket) => socket.destroyed || socket.readableEnded;

/** Starts clients that send a piece every second, until the service has cut each of them. */
async function trickle(begin: string, piece: string): Promise<void> {
  const clients = Array.from({ length: CLIENTS }, () => connected(begin).resume());
  const more = setInterval(() => {
    for (const client of clients) if (!isOver(client) && client.writable) client.write(piece);
  }, EACH_MS);
  const begun = performance.now();
  try {
    await eventually(
      () => clients.filter((client) => !isOver(client)).length,
      (open) => open === 0,
      PATIENCE_MS * SLACK,
    );
  } finally {
    clearInterval(more);
  }
  report('All slow clients were cut after', `${Math.round(performance.now() - begun)} ms`);
}

const head = `POST /api/public/connections HTTP/1.1\r\nhost: x\r\nx-api-key: ${tenant.key}\r\n`;

it('cuts hundreds of clients that send their headers slowly, and others do not wait', async () => {
  await neighbour.waitsLessThan(NEIGHBOUR_MS, 'Slow headers', () => trickle(head, 'x-more: x\r\n'));
});

it('cuts hundreds of clients that send their bodies slowly, and others do not wait', async () => {
  const begin = `${head}content-type: application/json\r\ncontent-length: 100000\r\n\r\n{`;
  await neighbour.waitsLessThan(NEIGHBOUR_MS, 'Slow bodies', () => trickle(begin, ' '));
});

it('cuts hundreds of clients that connect and send nothing, and others do not wait', async () => {
  await neighbour.waitsLessThan(NEIGHBOUR_MS, 'Silent connections', () => trickle('', ''));
});

it('serves others while hundreds of clients request large answers and read nothing', async () => {
  await neighbour.waitsLessThan(NEIGHBOUR_MS, 'Slow readers', async () => {
    const ask = 'GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(4);
    const readers = Array.from({ length: CLIENTS }, () => connected(ask).pause());
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    for (const reader of readers) reader.destroy();
  });
  expect((await new Client(service.url).get('/health/ready')).outcome).toBe('200');
});

it('serves others while thousands of clients connect and leave', async () => {
  await neighbour.waitsLessThan(NEIGHBOUR_MS, 'Connections that come and go', async () => {
    for (let round = 0; round < 20; round += 1) {
      for (let count = 0; count < 200; count += 1) connected('GET /health/live HTTP/1.1\r\nho').resetAndDestroy();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });
});

const hasSlowHttpTest = spawnSync('slowhttptest', ['-h']).error === undefined;
if (!hasSlowHttpTest) report('Skipped', 'slowhttptest is not installed here; the tests above do what it does');

(hasSlowHttpTest ? it : it.skip).each([
  ['headers', ['-H']],
  ['bodies', ['-B']],
  ['readers', ['-X', '-w', '1', '-y', '16', '-z', '16']],
])('withstands the slow %s of slowhttptest', async (_, flags) => {
  const all = [
    ...flags,
    '-c',
    '500',
    '-r',
    '200',
    '-i',
    '2',
    '-l',
    '20',
    '-p',
    '3',
    '-u',
    `${service.url}/openapi.json`,
  ];
  await neighbour.waitsLessThan(NEIGHBOUR_MS, `slowhttptest ${flags[0]}`, async () => {
    const child = spawn('slowhttptest', all, { stdio: 'ignore' });
    await new Promise((resolve) => child.once('exit', resolve));
  });
});
