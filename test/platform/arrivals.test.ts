import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextPass } from 'node:timers/promises';
import { Arrivals } from '../../src/platform/http/arrivals.js';
import { startProcess } from '../support/process.js';
import { startService } from '../support/service.js';

it('begins a request at once if no connection has arrived', () => {
  const begun: string[] = [];
  new Arrivals().requestRead('one', () => begun.push('one'));
  expect(begun).toEqual(['one']);
});

it('lets requests wait while connections arrive, and then begins those of each sender in turn', async () => {
  const arrivals = new Arrivals();
  const begun: string[] = [];
  for (const sender of ['a', 'a', 'a', 'b']) {
    arrivals.connectionAccepted();
    arrivals.requestRead(sender, () => begun.push(sender));
    await nextPass();
  }
  expect(begun).toEqual([]);
  for (const count of [1, 2, 3, 4]) {
    await nextPass();
    expect(begun).toHaveLength(count);
  }
  expect(begun).toEqual(['a', 'b', 'a', 'a']);
  arrivals.requestRead('c', () => begun.push('c'));
  expect(begun.at(-1)).toBe('c');
});

it('begins requests after a moment even if connections never cease to arrive', async () => {
  const arrivals = new Arrivals();
  let hasBegun = false;
  arrivals.connectionAccepted();
  arrivals.requestRead('a', () => (hasBegun = true));
  const since = performance.now();
  while (!hasBegun && performance.now() - since < 10_000) {
    arrivals.connectionAccepted();
    await nextPass();
  }
  expect(hasBegun).toBe(true);
});

it('lets hundreds of clients connect while the process is too busy to accept them', async () => {
  const most = mostOfTheKernel();
  const clients = Math.min(700, most);
  const service = await startService();
  const frozen = await startProcess(service.settings);
  const sockets: Socket[] = [];
  try {
    frozen.freeze();
    const { hostname: host, port } = new URL(frozen.url);
    for (let at = 0; at < clients; at += 1) sockets.push(connect({ host, port: Number(port) }));
    // A client without a place sends its first packet again after a second, and gets none before the process goes on.
    await Promise.all(sockets.map((socket) => once(socket, 'connect', { signal: AbortSignal.timeout(20_000) })));
  } finally {
    for (const socket of sockets) socket.destroy();
    await frozen.kill();
    await service.stop();
  }
});

/** Linux keeps at most this many new connections; other systems may keep fewer. */
function mostOfTheKernel(): number {
  try {
    return Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
  } catch {
    return 100;
  }
}
