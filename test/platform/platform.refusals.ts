import { once } from 'node:events';
import { CHANGED, REVOKED } from '../../src/platform/auth/key-listener.js';
import { newKeyValue } from '../../src/kernel/key-format.js';
import { newId } from '../../src/kernel/ids.js';
import { Settings } from '../../src/platform/config/settings.js';
import { BellQueues } from '../../src/platform/queue/bell-queues.js';
import { aWaitingJob } from '../dock/make.js';
import { administratorOf, makeKey, makeKeyWith, revoke } from '../support/actors.js';
import { Client, type Answer } from '../support/client.js';
import { atTime, HOUR } from '../support/clock.js';
import { signInToConsole } from '../support/console.js';
import { mustStream, refusedStream } from '../support/event-stream.js';
import { eventually } from '../support/eventually.js';
import {
  whileNotMigrated,
  whileOverloaded,
  whilePoolIsFull,
  whileProjectsFail,
  whileRenamed,
} from '../support/faults.js';
import type { Refusals, World } from '../support/samples.js';
import { withHeadersTimeout } from '../support/timeouts.js';
import { openRequest, sendBytes } from '../support/wire.js';
import { DOCK } from '../tools/make.js';

const PROJECTS = '/api/admin/v1/projects';
const MiB = 1024 * 1024;

export const refusals: Refusals = {
  VALIDATION_ERROR: (world) => makeProject(world, { body: {} }),
  MALFORMED_JSON: (world) => makeProject(world, { rawBody: '{' }),
  PAYLOAD_TOO_LARGE: (world) => makeProject(world, { rawBody: ' '.repeat(MiB + 1) }),
  UNSUPPORTED_MEDIA_TYPE: (world) => makeProject(world, { rawBody: 'x', headers: { 'content-type': 'text/plain' } }),
  MALFORMED_REQUEST: ({ service }) => sendBytes(service.url, 'nonsense\r\n\r\n'),
  HEADERS_TOO_LARGE: ({ service }) =>
    sendBytes(service.url, `GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(MiB)}\r\n\r\n`),
  REQUEST_TIMEOUT: ({ service }) =>
    withHeadersTimeout(service, 100, () => sendBytes(service.url, 'GET / HTTP/1.1\r\n')),
  ROUTE_NOT_FOUND: ({ service }) => new Client(service.url).get('/nowhere'),
  METHOD_NOT_ALLOWED: ({ service }) => new Client(service.url).delete('/health/live'),

  OVERLOADED: ({ service, tenant }) => whileOverloaded(service, tenant, () => tenant.api.get('/api/public/me')),

  AUDIT_ENTRY_NOT_FOUND: ({ service }) => administratorOf(service).get(`/api/admin/v1/audit/${newId('auditEntry')}`),

  IDEMPOTENCY_KEY_REUSED: async (world) => {
    const headers = { 'idempotency-key': 'refusals' };
    await makeProject(world, { body: { name: 'One' }, headers });
    return makeProject(world, { body: { name: 'Another' }, headers });
  },
  IDEMPOTENCY_ANSWER_LOST: async (world) => {
    const request = { body: { name: 'Lost' }, headers: { 'idempotency-key': 'lost' } };
    await makeProject(world, request);
    await world.service.database.rows(`update idempotency_key set answer_sealed = 'v1.9.AAAA.BBBB'`);
    return makeProject(world, request);
  },
  IDEMPOTENCY_IN_PROGRESS: async (world) => {
    const { database } = world.service;
    const request = { body: { name: 'Slow' }, headers: { 'idempotency-key': 'in-progress' } };
    const hold = await database.openTransaction('lock table project in exclusive mode');
    const first = makeProject(world, request);
    await eventually(() => database.rows('select from idempotency_key where answer_sealed is null'), hasOne);
    const answer = await makeProject(world, request);
    await hold.commit();
    await first;
    return answer;
  },

  API_KEY_MISSING: ({ service }) => new Client(service.url).get('/api/public/me'),
  API_KEY_INVALID: ({ service }) => Client.withKey(service, newKeyValue('sw_')).get('/api/public/me'),
  CONSOLE_SESSION_MISSING: ({ service }) => new Client(service.url).get('/queues/'),
  QUEUES_UNAVAILABLE: async ({ service }) => {
    const { cookie } = await signInToConsole(administratorOf(service));
    const [queue] = service.app.get(BellQueues).ringing.values();
    const { client } = queue!;
    // A client that is still connecting would go on with that.
    await client.ping();
    const isClosed = once(client, 'end');
    client.disconnect();
    await isClosed;
    const answer = await new Client(service.url, { cookie }).get('/queues/');
    await client.connect();
    return answer;
  },
  API_KEY_EXPIRED: async ({ service, tenant: { appId, scopeName } }) => {
    const expiresAt = new Date(Date.now() + HOUR).toISOString();
    const { api } = await makeKey(service, appId, scopeName, { expiresAt });
    return atTime(Date.now() + 2 * HOUR, () => api.get('/api/public/me'));
  },
  API_KEY_REVOKED: async ({ service, tenant: { appId, scopeName } }) => {
    const { keyId, key } = await makeKey(service, appId, scopeName);
    const running = openRequest(service.url, { verb: 'GET', path: '/api/public/me', key, begin: '{' });
    await eventually(() => service.database.rows('select from api_key_use where key_id = $1', [keyId]), hasOne);
    await revoke(service, appId, keyId);
    return running.answer;
  },
  PERMISSION_DENIED: async ({ service, tenant }) => {
    const { api, scopeId } = await makeKeyWith(service, tenant, ['RUN_API']);
    return api.get(`/aaa/api/public/apps/${tenant.appId}/scopes/${scopeId}`);
  },
  PROJECT_NOT_FOUND: ({ service }) => administratorOf(service).get(`${PROJECTS}/${newId('project')}`),
  APP_NOT_FOUND: ({ service }) => administratorOf(service).get(`/api/admin/v1/apps/${newId('app')}`),
  REVOCATION_PENDING: async ({ service, tenant: { appId, keyId } }) => {
    // This lock looks like a further process, which never confirms a revocation.
    const silent = await service.database.openTransaction('select pg_advisory_xact_lock_shared($1, 4711)', [
      REVOKED.lock,
    ]);
    const answer = await revoke(service, appId, keyId);
    await silent.commit();
    return answer;
  },
  KEY_CHANGE_PENDING: async ({ service, tenant: { appId, scopeId, api } }) => {
    const silent = await service.database.openTransaction('select pg_advisory_xact_lock_shared($1, 4711)', [
      CHANGED.lock,
    ]);
    const answer = await api.put(`/aaa/api/public/apps/${appId}/scopes/${scopeId}`, { permissions: {} });
    await silent.commit();
    return answer;
  },
  RATE_LIMIT_EXCEEDED: async ({ service, tenant: { api } }) => {
    const { RATE_LIMIT_DEFAULT } = service.settings;
    // Twice as many as allowed, because a process counts for itself while a busy machine keeps Redis from answering.
    const tooMany = Array.from({ length: 2 * Number(RATE_LIMIT_DEFAULT) + 1 }, () => api.get('/api/public/me'));
    return (await Promise.all(tooMany)).find(({ status }) => status !== 200)!;
  },
  TOO_MANY_STREAMS: async (world) => {
    const { service, tenant } = world;
    const { STREAMS_PER_KEY } = service.app.get(Settings);
    const path = `${DOCK}/${(await aWaitingJob(world)).id}/events`;
    const open = Array.from({ length: STREAMS_PER_KEY }, () => mustStream(service, { key: tenant.key, path }));
    const streams = await Promise.all(open);
    const answer = await refusedStream(service, { key: tenant.key, path });
    await Promise.all(streams.map((stream) => stream.close()));
    return answer;
  },

  METRICS_DENIED: ({ service }) =>
    new Client(service.url).get('/metrics', { headers: { 'x-forwarded-for': '203.0.113.1' } }),

  VALUE_REFUSED: (world) => makeProjectFailing(world, '22003'),
  BUSY: (world) => makeProjectFailing(world, '40001'),
  DATABASE_UNAVAILABLE: (world) => makeProjectFailing(world, '57P01'),
  DATABASE_POOL_FULL: (world) => whilePoolIsFull(world.service, () => makeProject(world, { body: { name: 'x' } })),
  STORAGE_FULL: (world) => makeProjectFailing(world, '53100'),
  INTERNAL_ERROR: (world) =>
    whileRenamed(world.service.database, 'project', () => makeProject(world, { body: { name: 'x' } })),
  NOT_READY: ({ service }) => whileNotMigrated(service.database, () => new Client(service.url).get('/health/ready')),
};

function makeProject({ service }: World, request: Parameters<Client['send']>[2]): Promise<Answer> {
  return administratorOf(service).send('POST', PROJECTS, request);
}

function makeProjectFailing(world: World, sqlState: string): Promise<Answer> {
  return whileProjectsFail(world.service.database, sqlState, () => makeProject(world, { body: { name: 'x' } }));
}

function hasOne(rows: object[]): boolean {
  return rows.length === 1;
}
