import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedis } from '../../scripts/services/redis-program.mjs';
import { freePort } from '../../scripts/services/server-process.mjs';
import { toRedisAddress } from '../../src/platform/config/redis-address.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';

const folder = mkdtempSync(join(tmpdir(), 'slipway-sentinel-'));
const { hostname, port, password } = new URL(process.env.TEST_REDIS_URL!);

/** Starts a sentinel that watches the tests' Redis under the name `main`. */
async function startSentinel(sentinelPort: number) {
  const file = join(folder, 'sentinel.conf');
  writeFileSync(
    file,
    `bind 127.0.0.1\nport ${sentinelPort}\ndir ${folder}\n` +
      `sentinel monitor main ${hostname} ${port} 1\nsentinel auth-pass main ${password}\n`,
  );
  mkdirSync(join(folder, 'redis'));
  const { command, env } = await findRedis({ dataDir: folder, log: () => undefined });
  return spawn(command, [file, '--sentinel'], { env, stdio: 'ignore' });
}

const sentinelPort = await freePort();
const sentinel = await startSentinel(sentinelPort);
const service = await startService({ REDIS_URL: `redis-sentinel://:${password}@127.0.0.1:${sentinelPort}/main` });

afterAll(async () => {
  await service.stop();
  sentinel.kill('SIGKILL');
  await once(sentinel, 'exit');
  rmSync(folder, { recursive: true, force: true });
});

it('finds Redis through its sentinels', async () => {
  const ready = () => new Client(service.url).get<{ checks: { redis: { status: string } } }>('/health/ready');
  await eventually(ready, ({ body }) => body.checks.redis.status === 'up');
});

it.each([
  ['redis://localhost', { host: 'localhost', port: 6379, db: 0 }],
  ['redis://ada:p%40ss@10.0.0.1:7000/3', { host: '10.0.0.1', port: 7000, db: 3, username: 'ada', password: 'p@ss' }],
  ['rediss://:word@redis.test', { host: 'redis.test', password: 'word', tls: {} }],
  [
    'redis-sentinel://a,b:7/main',
    {
      name: 'main',
      sentinels: [
        { host: 'a', port: 26379 },
        { host: 'b', port: 7 },
      ],
    },
  ],
  [
    'rediss-sentinel://a/main',
    { name: 'main', tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true, sentinels: [{ host: 'a', port: 26379 }] },
  ],
  ['redis-sentinel://ada:p%40ss@a:1/main', { name: 'main', username: 'ada', password: 'p@ss' }],
])('understands the address %s', (url, options) => {
  expect(toRedisAddress(url)).toMatchObject({ nodes: [], options });
});
