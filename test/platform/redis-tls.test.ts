import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeActiveAgent, say } from '../agents/make.js';
import { makeTenant } from '../support/actors.js';
import { makeCertificate } from '../support/certificate.js';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { HOST_NAME, RedisServer } from '../support/redis-server.js';
import { randomSecret, settingsFor } from '../support/settings.js';

const folder = mkdtempSync(join(tmpdir(), 'slipway-redis-'));
const password = randomSecret();
const certificate = makeCertificate(folder, { dns: HOST_NAME });
const server = await RedisServer.start({ folder, password, certificate });
const settings = {
  ...settingsFor(await createDatabase()),
  REDIS_URL: urlOf(HOST_NAME),
  NODE_EXTRA_CA_CERTS: certificate.file,
  LOG_LEVEL: 'warn',
  // A job that no bell announces begins too late for the tests.
  WORKER_LOOK_SECONDS: '60',
};
const started: ServiceProcess[] = [];
afterAll(async () => {
  await Promise.all(started.map((each) => each.stop()));
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

function urlOf(host: string): string {
  return `rediss://:${password}@${host}:${server.port}`;
}

async function start(changes: object): Promise<ServiceProcess> {
  const process = await startProcess({ ...settings, ...changes });
  started.push(process);
  return process;
}

interface Ready {
  checks: { redis: { status: string; message?: string } };
}

const readinessOf = ({ url }: ServiceProcess) => new Client(url).get<Ready>('/health/ready');

it('announces work between processes by a server with TLS', async () => {
  const [api] = await Promise.all([start({ SLIPWAY_ROLE: 'api' }), start({ SLIPWAY_ROLE: 'worker' })]);
  await eventually(
    () => readinessOf(api),
    ({ body }) => body.checks.redis.status === 'up',
  );
  const tenant = await makeTenant(api);
  await makeActiveAgent(api, tenant);
  for (const word of ['one', 'two']) {
    expect((await say(tenant, 'a customer', word)).body).toMatchObject({ status: 'completed' });
  }
});

it.each([
  ['whose authority it does not trust', { NODE_EXTRA_CA_CERTS: '' }, 'self-signed certificate'],
  ['whose certificate has another host', { REDIS_URL: urlOf('127.0.0.1') }, "does not match certificate's altnames"],
])('goes on without a server %s, and says what to set', async (_, changes, reason) => {
  const process = await start(changes);
  const sentence = expect.stringMatching(
    /^its certificate is refused: .* NODE_EXTRA_CA_CERTS, .* REDIS_URL$/,
  ) as string;
  const { outcome, body } = await readinessOf(process);
  expect(outcome).toBe('200');
  expect(body.checks.redis).toEqual({ status: 'degraded', message: sentence });
  const lines = process.output().split('\n');
  const about = lines.filter((line) => line.includes('Redis is unavailable'));
  expect(about).toHaveLength(1);
  expect(about[0]).toContain(reason);
  expect((await makeTenant(process)).key).toBeDefined();
});
