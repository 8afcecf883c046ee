import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/services/server-process.mjs';
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
const access = { folder, password, certificate };
const server = await RedisServer.start(access);
const demanding = await RedisServer.start(access, { 'tls-auth-clients': 'yes' });
const servers = [server, demanding];
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
  await Promise.all(servers.map((each) => each.stop()));
  rmSync(folder, { recursive: true, force: true });
});

function urlOf(host: string, port = server.port): string {
  return `rediss://:${password}@${host}:${port}`;
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

/** The lines of the log that say why Redis is unavailable, once this is one of the reasons. */
const logOfOutages = (process: ServiceProcess, reason: string) =>
  eventually(
    () =>
      process
        .output()
        .split('\n')
        .filter((line) => line.includes('Redis is unavailable')),
    (lines) => lines.some((line) => line.includes(reason)),
  );

async function untilReadinessSays(process: ServiceProcess, sentence: RegExp): Promise<void> {
  const { outcome, body } = await eventually(
    () => readinessOf(process),
    ({ body: { checks } }) => sentence.test(checks.redis.message ?? ''),
  );
  expect(outcome).toBe('200');
  expect(body.checks.redis.status).toBe('degraded');
}

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

const REFUSES_CERTIFICATE = /^its certificate is refused: .* NODE_EXTRA_CA_CERTS, .* REDIS_URL$/;
const DEMANDS_CERTIFICATE = /^the server demands a certificate of its clients, .*: set tls-auth-clients no$/;

it.each([
  ['whose authority it does not trust', { NODE_EXTRA_CA_CERTS: '' }, REFUSES_CERTIFICATE, 'self-signed certificate'],
  [
    'whose certificate has another host',
    { REDIS_URL: urlOf('127.0.0.1') },
    REFUSES_CERTIFICATE,
    "does not match certificate's altnames",
  ],
])('goes on without a server %s, and says what to set', async (_, changes, sentence, reason) => {
  const process = await start(changes);
  await untilReadinessSays(process, sentence);
  expect(await logOfOutages(process, reason)).toHaveLength(1);
  expect((await makeTenant(process)).key).toBeDefined();
});

it('goes on without a server that demands a certificate of its clients, and says what to set', async () => {
  const process = await start({ REDIS_URL: urlOf(HOST_NAME, demanding.port) });
  await untilReadinessSays(process, DEMANDS_CERTIFICATE);
  // The closed connection may be noticed before the alert, and both are logged once.
  const lines = await logOfOutages(process, 'alert certificate required');
  const isOfAlert = (line: string) => line.includes('alert certificate required');
  expect(lines.filter(isOfAlert)).toHaveLength(1);
  expect(lines.filter((line) => !isOfAlert(line)).length).toBeLessThanOrEqual(1);
  expect((await makeTenant(process)).key).toBeDefined();
});

it('logs the certificate of a server that was away before', async () => {
  const port = await freePort();
  const process = await start({ REDIS_URL: urlOf(HOST_NAME, port), NODE_EXTRA_CA_CERTS: '' });
  expect(await logOfOutages(process, 'ECONNREFUSED')).toHaveLength(1);
  servers.push(await RedisServer.start(access, {}, port));
  await untilReadinessSays(process, REFUSES_CERTIFICATE);
  expect(await logOfOutages(process, 'self-signed certificate')).toHaveLength(2);
});
