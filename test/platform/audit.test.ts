import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { MikroORM } from '@mikro-orm/postgresql';
import { Module } from '@nestjs/common';
import { AppModule } from '../../src/app.module.js';
import { SYSTEM } from '../../src/kernel/actor.js';
import { newId } from '../../src/kernel/ids.js';
import { Audited } from '../../src/platform/audit/audited.js';
import { Database } from '../../src/platform/database/database.js';
import { administratorOf, makeKey, makeProject, makeTenant, revoke, yesTo } from '../support/actors.js';
import { makeAdminKey, revokeAdminKey } from '../support/admin-keys.js';
import { type Answer, Client } from '../support/client.js';
import { atTime, DAY } from '../support/clock.js';
import { whileProjectsFail } from '../support/faults.js';
import { startService } from '../support/service.js';
import { ADMIN, changesOf, entriesIn, type Entry } from './audit-entries.js';

/** An entity as a module would declare it, with one secret member. */
@Audited({ kind: 'safe', project: 'none', secrets: ['combination'] })
@Entity({ tableName: 'safe' })
class Safe {
  @PrimaryKey({ type: 'text' })
  readonly id = newId('job');

  @Property({ type: 'text' })
  name = 'a safe';

  @Property({ type: 'text' })
  combination = 'canary 12-34-56';
}

@Module({ imports: [AppModule, MikroOrmModule.forFeature([Safe])] })
class Root {}

const service = await startService({}, Root);
await service.database.rows('create table safe (id text primary key, name text, combination text)');
const database = service.app.get(Database);
const admin = administratorOf(service);
afterAll(() => service.stop());

const KEYS = '/aaa/api/public/apps';

/** Returns the entries of one request, in their order. */
async function entriesOf({ headers }: Answer): Promise<Entry[]> {
  const requestId = headers.get('x-request-id');
  return (await entriesIn(admin)).filter((entry) => entry.requestId === requestId).reverse();
}

it('records who created what, when, and by which request and route', async () => {
  const made = await admin.post<{ data: { projectId: string } }>(`${ADMIN}/projects`, { name: 'Audited' });
  const { projectId } = made.body.data;
  expect(await entriesOf(made)).toEqual([
    {
      auditId: expect.stringMatching(/^au-/) as string,
      at: expect.any(String) as string,
      actor: { actorId: 'admin', kind: 'admin', label: 'admin' },
      requestId: made.headers.get('x-request-id'),
      operation: 'POST /api/admin/v1/projects',
      target: { kind: 'project', targetId: projectId, projectId },
      change: 'created',
      before: null,
      after: { id: projectId, name: 'Audited', createdAt: expect.any(String) as string },
    },
  ]);
});

it('records the changed members before and after, and nothing if nothing changed', async () => {
  const projectId = await makeProject(service, 'Before');
  const path = `${ADMIN}/projects/${projectId}`;
  const [entry] = await entriesOf(await admin.patch(path, { name: 'After' }));
  expect(entry).toMatchObject({
    operation: 'PATCH /api/admin/v1/projects/{projectId}',
    change: 'changed',
    before: { name: 'Before' },
    after: { name: 'After' },
  });
  expect(Object.keys(entry!.after!)).toEqual(['name']);
  expect(await entriesOf(await admin.patch(path, { name: 'After' }))).toEqual([]);
});

it('records what a deletion removed', async () => {
  const projectId = await makeProject(service, 'Gone');
  const deleted = await entriesOf(await admin.delete(`${ADMIN}/projects/${projectId}`));
  expect(deleted).toMatchObject([
    { change: 'deleted', target: { targetId: projectId, projectId }, before: { name: 'Gone' }, after: null },
  ]);
});

it('records lists, times and relations in a readable form', async () => {
  const { appId, scopeId, projectId, scopeName } = await makeTenant(service, { permissions: ['RUN_API'] });
  const path = `${ADMIN}/apps/${appId}/scopes/${scopeId}`;
  const [scope] = await entriesOf(await admin.patch(path, { permissions: yesTo(['SESSIONS_LIST']) }));
  expect(scope).toMatchObject({
    target: { kind: 'scope', targetId: scopeId, projectId },
    before: { granted: ['RUN_API'] },
    after: { granted: ['RUN_API', 'SESSIONS_LIST'] },
  });
  const { keyId } = await makeKey(service, appId, scopeName);
  const expiresAt = new Date(Date.now() + DAY).toISOString();
  const change = { apiKeyName: 'renamed', expiresAt };
  const [key] = await entriesOf(await admin.patch(`${ADMIN}/apps/${appId}/apikeys/${keyId}`, change));
  expect(key).toMatchObject({ before: { expiresAt: null }, after: { name: 'renamed', expiresAt } });
  const again = { expiresAt: new Date(Date.now() + 2 * DAY).toISOString() };
  const [later] = await entriesOf(await admin.patch(`${ADMIN}/apps/${appId}/apikeys/${keyId}`, again));
  expect(later).toMatchObject({ before: { expiresAt }, after: again });
  const [created] = await entriesIn(admin, {
    targetId: keyId,
    operation: 'POST /api/admin/v1/apps/{appId}/apikeys',
    kind: 'apiKey',
  });
  expect(created!.after).toMatchObject({ scope: scopeId, expiresAt: null });
});

it('records the names that keys and administrators had at the time', async () => {
  const tenant = await makeTenant(service);
  const { adminKey, adminKeyId, name } = await makeAdminKey(service);
  const byAdmin = await Client.withKey(service, adminKey).post(`${ADMIN}/projects`, { name: 'x' });
  expect((await entriesOf(byAdmin))[0]!.actor).toEqual({ actorId: adminKeyId, kind: 'admin', label: name });
  await admin.patch(`${ADMIN}/admin-keys/${adminKeyId}`, { name: `${name} renamed` });
  expect((await entriesOf(byAdmin))[0]!.actor.label).toBe(name);

  const path = `${KEYS}/${tenant.appId}/scopes/${tenant.scopeId}`;
  const byKey = await tenant.api.put(path, { permissions: { RUN_API: 'NO' } });
  expect(await entriesOf(byKey)).toMatchObject([
    {
      actor: { actorId: tenant.keyId, kind: 'key', label: expect.stringMatching(/^key \d+$/) as string },
      operation: 'PUT /aaa/api/public/apps/{appId}/scopes/{scopeId}',
      target: { kind: 'scope', targetId: tenant.scopeId, projectId: tenant.projectId },
    },
  ]);
});

it('records the creation, rotation and revocation of a key, although its row is gone', async () => {
  const { appId, scopeName, projectId } = await makeTenant(service);
  const { keyId } = await makeKey(service, appId, scopeName);
  const rotated = await admin.post(`${ADMIN}/apps/${appId}/apikeys/${keyId}/rotate`, { graceSeconds: 60 });
  const changes = await entriesOf(rotated);
  expect(changesOf(changes).sort()).toEqual(['changed apiKey', 'changed apiKeyValue', 'created apiKeyValue']);
  const retired = changes.find(({ change, target }) => change === 'changed' && target.kind === 'apiKeyValue')!;
  expect(retired).toMatchObject({ target: { targetId: keyId, projectId }, before: { validUntil: null } });
  expect(Date.parse(retired.after!.validUntil as string)).toBeGreaterThan(Date.parse(retired.at));

  const revoked = await entriesOf(await revoke(service, appId, keyId));
  expect(revoked).toMatchObject([
    { target: { kind: 'apiKey', targetId: keyId, projectId }, before: { revokedAt: null }, change: 'changed' },
  ]);
  expect(await service.database.rows('select from api_key where id = $1', [keyId])).toHaveLength(0);
});

it('records that a rotation removes an old value', async () => {
  const { appId, scopeName, projectId } = await makeTenant(service);
  const { keyId } = await makeKey(service, appId, scopeName);
  const rotate = () => admin.post(`${ADMIN}/apps/${appId}/apikeys/${keyId}/rotate`);
  const validUntil = new Date();
  await atTime(validUntil.getTime(), rotate);
  const forgotten = await atTime(Date.now() + 31 * DAY, () => rotate().then(entriesOf));
  expect(forgotten.filter(({ change }) => change === 'deleted')).toMatchObject([
    {
      target: { kind: 'apiKeyValue', targetId: keyId, projectId },
      before: { key: keyId, digest: '***', validUntil: validUntil.toISOString() },
    },
  ]);
});

it('records nothing that was refused or rolled back', async () => {
  const { appId, scopeName, api, keyId } = await makeTenant(service, { permissions: ['RUN_API'] });
  const before = await entriesIn(admin);
  await api.delete(`${KEYS}/${appId}/apikeys/${keyId}`);
  await admin.post(`${ADMIN}/projects`, { name: '' });
  await admin.delete(`${ADMIN}/projects/${newId('project')}`);
  await admin.post(`${ADMIN}/apps/${appId}/scopes`, { scopeName, permissions: {} });
  await whileProjectsFail(service.database, '40001', () => admin.post(`${ADMIN}/projects`, { name: 'x' }));
  expect(await entriesIn(admin)).toEqual(before);
});

it('records changes by the service itself, also with a text that ends in half a character', async () => {
  const safe = new Safe();
  safe.name = 'cut \ud83d';
  await database.apart(() => database.transaction(SYSTEM, async (tx) => void tx.em.persist(safe)));
  expect(await entriesIn(admin, { targetId: safe.id })).toMatchObject([
    {
      actor: { actorId: 'system', kind: 'system', label: 'system' },
      requestId: null,
      operation: null,
      change: 'created',
      after: { name: expect.stringMatching(/^cut .$/) as string },
    },
  ]);
});

it('shows that a secret changed, but not its value', async () => {
  const safe = new Safe();
  const inTransaction = (work: (mine: Safe) => void) =>
    database.apart(() =>
      database.transaction(SYSTEM, async (tx) => {
        tx.em.persist(safe);
        work(safe);
      }),
    );
  await inTransaction(() => undefined);
  await inTransaction((mine) => (mine.combination = 'canary 98-76-54'));
  const [changed, created] = await entriesIn(admin, { targetId: safe.id });
  expect(created!.after).toEqual({ id: safe.id, name: 'a safe', combination: '***' });
  expect(changed).toMatchObject({ before: { combination: '***' }, after: { combination: '***' } });
  await database.apart(() => database.transaction(SYSTEM, async (tx) => void tx.em.remove(safe)));
  const audit = await service.database.rows<{ line: string }>('select t::text as line from audit_entry t');
  expect(audit.filter(({ line }) => line.includes('canary'))).toEqual([]);
});

it('refuses changes of audited entities outside a transaction with an actor', async () => {
  const orm = service.app.get(MikroORM);
  const em = orm.em.fork();
  const safe = new Safe();
  em.persist(safe);
  await expect(em.flush()).rejects.toThrow(/database\.transaction/);
  expect(await service.database.rows('select from safe where id = $1', [safe.id])).toEqual([]);
});

it('is written in one statement, however much a transaction changes', async () => {
  await service.database.rows(`
    create table written (statements int);
    create function count_statement() returns trigger language plpgsql as $$
    begin insert into written values (1); return null; end $$;
    create trigger count_statement after insert on audit_entry for each statement execute function count_statement()`);
  const projectId = await makeProject(service);
  const made = await admin.post(`${ADMIN}/projects/${projectId}/apps`, { name: 'x' });
  expect(changesOf(await entriesOf(made))).toEqual(['created app', ...Array<string>(4).fill('created environment')]);
  expect(await service.database.rows('select from written')).toHaveLength(2);
  await service.database.rows('drop function count_statement cascade');
});

it('still names administration keys that were revoked', async () => {
  const { adminKeyId } = await makeAdminKey(service);
  expect(changesOf(await entriesOf(await revokeAdminKey(service, adminKeyId)))).toEqual(['changed adminKey']);
});
