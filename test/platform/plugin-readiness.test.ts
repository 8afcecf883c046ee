import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';

/** The findings of the checks of the plugin, by their classes. A check that finds nothing at all gets no answer. */
let found: Record<string, unknown> = {};
const acme = createServer(({ url }, response) => {
  const finding = found[url!.slice(1)];
  if (finding !== undefined) response.end(JSON.stringify(finding));
});
await once(acme.listen(0, '127.0.0.1'), 'listening');

const settings = {
  ...settingsFor(await createDatabase()),
  SLIPWAY_CONFIG: fileURLToPath(new URL('./readiness.plugin.mjs', import.meta.url)),
  ACME_URL: `http://127.0.0.1:${(acme.address() as AddressInfo).port}`,
};
const service = await startProcess({ ...settings, LOG_LEVEL: 'debug' });
afterAll(async () => {
  await service.stop();
  acme.close();
});

interface Readiness {
  status: string;
  checks: object;
}
const UP = { status: 'up' };
const OWN = { database: UP, migrations: UP, storage: UP, redis: UP };
const MALFORMED = 'A check of the readiness has a malformed answer';

async function readinessWith(findings: Record<string, unknown>) {
  found = findings;
  return new Client(service.url).get<Readiness>('/health/ready');
}

/** Returns the lines of the log about malformed answers. */
const loggedMalformed = () =>
  service
    .output()
    .split('\n')
    .filter((line) => line.endsWith(`"msg":"${MALFORMED}"}`))
    .map((line) => JSON.parse(line) as { level: string; check: string });

it('lists the checks of a plugin after those of Slipway', async () => {
  const { outcome, body } = await readinessWith({ Catalogue: UP, Prices: UP });
  expect(outcome).toBe('200');
  expect(body).toEqual({ status: 'ok', checks: { ...OWN, 'acme-catalogue': UP, 'acme-prices': UP } });
  expect(Object.keys(body.checks)).toEqual([...Object.keys(OWN), 'acme-catalogue', 'acme-prices']);
});

it('is up if the message of a check is undefined', async () => {
  const { body } = await readinessWith({ Catalogue: { ...UP, message: 'undefined' }, Prices: UP });
  expect(body).toEqual({ status: 'ok', checks: { ...OWN, 'acme-catalogue': UP, 'acme-prices': UP } });
});

it('is degraded or down as a check says', async () => {
  const slow = { status: 'degraded', message: 'is slow' };
  expect(await readinessWith({ Catalogue: slow, Prices: UP })).toMatchObject({
    outcome: '200',
    body: { status: 'degraded', checks: { 'acme-catalogue': slow, 'acme-prices': UP } },
  });
  const gone = { status: 'down', message: 'has no entries' };
  expect(await readinessWith({ Catalogue: gone, Prices: slow })).toMatchObject({
    outcome: '503 NOT_READY',
    body: { error: { details: { checks: { ...OWN, 'acme-catalogue': gone, 'acme-prices': slow } } } },
  });
});

it('does not list a check that has nothing to say', async () => {
  const { body } = await readinessWith({ Catalogue: UP, Prices: null });
  expect(body).toEqual({ status: 'ok', checks: { ...OWN, 'acme-catalogue': UP } });
});

it('is down if a check takes too long, and only degraded if the process can serve without it', async () => {
  expect(await readinessWith({ Catalogue: UP })).toMatchObject({
    outcome: '200',
    body: { status: 'degraded', checks: { 'acme-prices': { status: 'degraded', message: 'are old' } } },
  });
  const down = { status: 'down', message: 'does not answer' };
  expect(await readinessWith({ Prices: UP })).toMatchObject({
    outcome: '503 NOT_READY',
    body: { error: { details: { checks: { ...OWN, 'acme-prices': UP, 'acme-catalogue': down } } } },
  });
});

it.each([
  ['a string', 'up'],
  ['a list', [UP]],
  ['an unknown status', { status: 'fine' }],
  ['no status', { message: 'is up' }],
  ['no message', { status: 'degraded' }],
  ['a message that is no text', { status: 'up', message: 1 }],
  ['an additional member', { ...UP, password: 'canary' }],
])('is down if a check answers with %s, and does not show the answer', async (_, malformed) => {
  const message = 'has a check whose answer is malformed';
  const before = loggedMalformed().length;
  const { outcome, body } = await readinessWith({ Catalogue: malformed, Prices: malformed });
  expect(outcome).toBe('503 NOT_READY');
  expect(body).toMatchObject({
    error: {
      details: {
        checks: {
          ...OWN,
          'acme-catalogue': { status: 'down', message },
          'acme-prices': { status: 'degraded', message },
        },
      },
    },
  });
  expect(JSON.stringify(body)).not.toContain('canary');
  await eventually(() => loggedMalformed().length === before + 2);
  expect(service.output()).not.toContain('canary');
});

it('warns of the malformed answers of a check once', async () => {
  const before = loggedMalformed().length;
  for (let probe = 0; probe < 2; probe += 1) await readinessWith({ Catalogue: 'up', Prices: 'up' });
  const logged = await eventually(loggedMalformed, ({ length }) => length === before + 4);
  const warned = logged.filter(({ level }) => level === 'warn').map(({ check }) => check);
  expect(warned.toSorted()).toEqual(['acme-catalogue', 'acme-prices']);
});

it('is degraded in a process that is told to hold its jobs', async () => {
  const held = await startProcess({ ...settings, JOBS: 'held' });
  found = { Catalogue: UP, Prices: UP };
  const { body } = await new Client(held.url).get<Readiness>('/health/ready');
  await held.stop();
  const jobs = { status: 'degraded', message: 'do not run, because JOBS is held' };
  expect(body).toMatchObject({ status: 'degraded', checks: { ...OWN, jobs } });
});
