import { SYSTEM } from '../../src/kernel/actor.js';
import { toId } from '../../src/kernel/ids.js';
import { Project } from '../../src/modules/tenancy/project.entity.js';
import { Database } from '../../src/platform/database/database.js';
import { sql } from '../../src/platform/database/sql.js';
import { write } from '../../src/platform/database/statement.js';
import { Statements } from '../../src/platform/database/statements.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { whileProjectsFail } from '../support/faults.js';
import { untilWaiting } from '../support/running.js';
import { startService } from '../support/service.js';
import { openRequest } from '../support/wire.js';

const service = await startService({ DATABASE_POOL: '2' });
const { database } = service;
const admin = administratorOf(service);
afterAll(() => service.stop());

const PROJECTS = '/api/admin/v1/projects';
const scopePath = (appId: string, scopeId: string) => `/aaa/api/public/apps/${appId}/scopes/${scopeId}`;
const lockScope = (scopeId: string) =>
  database.openTransaction('select from scope where id = $1 for update', [scopeId]);

it('stops working for a client that went away', async () => {
  const { appId, scopeId, key, api } = await makeTenant(service);
  const lock = await lockScope(scopeId);
  const body = JSON.stringify({ permissions: { RUN_API: 'NO' } });
  const path = scopePath(appId, scopeId);
  const running = openRequest(service.url, { verb: 'PUT', path, key, begin: body });
  running.finish();
  await untilWaiting(database, 'scope');
  running.abandon();
  await eventually(
    () => database.waiting(),
    (waiting) => waiting.length === 0,
  );
  await lock.commit();
  expect((await api.get(path)).body).toMatchObject({ scope: { permissions: { RUN_API: 'YES' } } });
});

it('answers 503 in bounded time when all connections are in use, and continues when they are free', async () => {
  const { api } = await makeTenant(service);
  const statements = service.app.get(Statements);
  const busy = [1, 2].map(() => statements.ask(write(sql`select pg_sleep(7)`)));

  const begun = performance.now();
  const refused = await Promise.all([admin.get(PROJECTS), api.get('/api/public/me')]);
  expect(performance.now() - begun).toBeLessThan(7_000);
  for (const answer of refused) {
    expect(answer.outcome).toBe('503 DATABASE_POOL_FULL');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect((await new Client(service.url).get('/health/live')).outcome).toBe('200');

  await Promise.all(busy);
  expect((await admin.get(PROJECTS)).outcome).toBe('200');
});

it('keeps nothing of a failed transaction, whatever follows it', async () => {
  const { projectId } = await makeTenant(service);
  const transactions = service.app.get(Database);
  const nameOf = async () =>
    (await database.rows<{ name: string }>('select name from project where id = $1', [projectId]))[0]!.name;
  const before = await nameOf();
  await transactions.apart(async () => {
    const project = await transactions.transaction(SYSTEM, (tx) =>
      tx.em.findOneOrFail(Project, { id: toId('project', projectId) }),
    );
    const failing = transactions.transaction(SYSTEM, async () => {
      project.name = 'not kept';
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    await transactions.transaction(SYSTEM, async () => undefined);
  });
  expect(await nameOf()).toBe(before);
});

it.each([
  ['a value out of range', '22003', '400 VALUE_REFUSED'],
  ['a text that it cannot store', '22021', '400 VALUE_REFUSED'],
  ['others that change the same', '40001', '503 BUSY'],
  ['a deadlock', '40P01', '503 BUSY'],
  ['a lock that is not to be had', '55P03', '503 BUSY'],
  ['a statement that takes too long', '57014', '503 DATABASE_UNAVAILABLE'],
  ['a server that goes down', '57P01', '503 DATABASE_UNAVAILABLE'],
  ['too many connections', '53300', '503 DATABASE_UNAVAILABLE'],
  ['a full disk', '53100', '507 STORAGE_FULL'],
  ['a fault that nobody thought of', 'XX000', '500 INTERNAL_ERROR'],
  ['a broken rule of ours', '23514', '500 INTERNAL_ERROR'],
])('translates what the database reports as %s', async (_, sqlState, outcome) => {
  const answer = await whileProjectsFail(database, sqlState, () => admin.post(PROJECTS, { name: 'x' }));
  expect(answer.outcome).toBe(outcome);
  expect(answer.headers.has('retry-after')).toBe(outcome.startsWith('503'));
  expect((await admin.post(PROJECTS, { name: 'x' })).outcome).toBe('201');
});
