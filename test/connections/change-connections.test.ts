import { type Id, newId } from '../../src/kernel/ids.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';
import { ConnectionSafe } from '../../src/modules/connections/connection-safe.js';
import type { ConnectionRepository } from '../../src/modules/connections/connection.repository.js';
import { Connection } from '../../src/modules/connections/connection.entity.js';
import { MikroORM } from '@mikro-orm/postgresql';
import {
  BODIES,
  change,
  CONNECTIONS,
  type ConnectionBody,
  KEY,
  makeConnection,
  MASK,
  OF_ENDPOINTS,
  read,
} from './make.js';

const service = await startService();
const tenant = await makeTenant(service);
afterAll(() => service.stop());

/** Reads the fields as a call would. */
async function fieldsOf(connectionId: string): Promise<Record<string, unknown>> {
  const connections: ConnectionRepository = service.app.get(MikroORM).em.fork().getRepository(Connection);
  const connection = await connections.findOneOrFail(connectionId as Id<'connection'>);
  return service.app.get(ConnectionSafe).fieldsOf(connection)!;
}

describe('changing fields', () => {
  it('merges the sent fields, and answers with all fields masked and the time of the change', async () => {
    const made = await makeConnection(tenant, BODIES.CloudVendor1);
    const answer = await change(tenant, made.connectionId, {
      deployment_id: 'other',
      API_KEY: 'sk-another-secret-wxyz',
    });
    expect(answer.outcome).toBe('200');
    const { createdOn, ...rest } = made;
    expect(answer.body).toStrictEqual({
      ...rest,
      fields: { ...made.fields, deployment_id: 'other', API_KEY: 'sk********wxyz' },
      modifiedOn: expect.any(String) as string,
    });
    expect(answer.body.modifiedOn >= createdOn).toBe(true);
    expect(await fieldsOf(made.connectionId)).toMatchObject({
      deployment_id: 'other',
      API_KEY: 'sk-another-secret-wxyz',
    });
  });

  it('keeps a secret whose mask is sent, at any depth, and refuses any other mask', async () => {
    const fields = { API_KEY: KEY, proxy: { password: 'canary-of-the-proxy' } };
    const { connectionId, fields: shown } = await makeConnection(tenant, { ...BODIES.Vendor1, fields });
    await change(tenant, connectionId, shown);
    expect(await fieldsOf(connectionId)).toEqual(fields);
    for (const mask of ['sk********abce', '********', '***', 'Ab********wxyz']) {
      const sent = { API_KEY: mask, proxy: { password: mask } };
      const faults = faultsAt('fields.API_KEY', 'fields.proxy.password');
      expect(await change(tenant, connectionId, sent)).toMatchObject(faults);
    }
    expect(await fieldsOf(connectionId)).toEqual(fields);
  });

  it('keeps a secret whose mask would cut a character in two', async () => {
    const fields = { API_KEY: KEY, proxy: { password: 'k😀-canary-of-the-proxy-😀xyz' } };
    const { connectionId, fields: shown } = await makeConnection(tenant, { ...BODIES.Vendor1, fields });
    expect((await change(tenant, connectionId, { ...shown, note: 'x' })).outcome).toBe('200');
    expect(await fieldsOf(connectionId)).toEqual({ ...fields, note: 'x' });
  });

  it('keeps members whose names every object has', async () => {
    const fields = { API_KEY: KEY, constructor: 'a', toString: 'b', proxy: { valueOf: 'c' } };
    const { connectionId } = await makeConnection(tenant, { ...BODIES.Vendor1, fields });
    const { body } = await change(tenant, connectionId, { note: 'x' });
    expect(body.fields).toEqual({ ...fields, API_KEY: MASK, note: 'x' });
    expect(await fieldsOf(connectionId)).toEqual({ ...fields, note: 'x' });
  });

  it('keeps a short secret whose stars are sent', async () => {
    const { connectionId, fields } = await makeConnection(tenant, { ...BODIES.Vendor1, fields: { API_KEY: 'short' } });
    await change(tenant, connectionId, fields);
    expect(await fieldsOf(connectionId)).toEqual({ API_KEY: 'short' });
  });

  it('removes an optional member with null, but no required one', async () => {
    const { connectionId } = await makeConnection(tenant, { ...BODIES.Vendor1, fields: { API_KEY: KEY, note: 'x' } });
    expect((await change(tenant, connectionId, { note: null })).body.fields).toEqual({ API_KEY: MASK });
    expect(await change(tenant, connectionId, { API_KEY: null })).toMatchObject(faultsAt('fields.API_KEY'));
    expect(await fieldsOf(connectionId)).toEqual({ API_KEY: KEY });
  });

  it.each(Object.entries({ ...OF_ENDPOINTS, isEnable: false }))(
    'refuses %s, which would have no effect',
    async (member, value) => {
      const { connectionId } = await makeConnection(tenant, BODIES.Vendor1);
      expect(await change(tenant, connectionId, { [member]: value, note: 'x' })).toMatchObject(
        faultsAt(`fields.${member}`),
      );
      expect(await fieldsOf(connectionId)).toEqual({ API_KEY: KEY });
    },
  );

  it('accepts all fields as they were shown, including those that an earlier release kept without effect', async () => {
    const fields = { API_KEY: KEY, isEnable: false };
    const { connectionId, status } = await makeConnection(tenant, { ...BODIES.Vendor1, fields });
    expect(status).toBe('INACTIVE');
    const kept = JSON.stringify({ ...fields, API_KEY: MASK, outputPath: 'text' });
    await service.database.rows('update connection set fields_json = $1 where id = $2', [kept, connectionId]);
    const { body: shown } = await read(tenant, connectionId);
    expect((await change(tenant, connectionId, { ...shown.fields, note: 'x' })).outcome).toBe('200');
    const { body } = await change(tenant, connectionId, { outputPath: null });
    expect(body.fields).toEqual({ API_KEY: MASK, isEnable: false, note: 'x' });
  });

  it('applies the rules of creation to the sent fields', async () => {
    const { connectionId } = await makeConnection(tenant, BODIES.CloudVendor1);
    const faulty = { your_resource_name: 'a.b', deployment_id: '../x', API_KEY: 'a b' };
    const answer = await change(tenant, connectionId, faulty);
    expect(answer.faults.sort()).toEqual(['fields.API_KEY', 'fields.deployment_id', 'fields.your_resource_name']);
  });

  it.each([{}, { fields: null }, { fields: [] }, { fields: {}, model: 'x' }, { fields: {}, connectionName: 'x' }])(
    'accepts fields only: %j',
    async (body) => {
      const { connectionId } = await makeConnection(tenant);
      const answer = await tenant.api.patch(`${CONNECTIONS}/${connectionId}`, body);
      expect(answer.outcome).toBe('400 VALIDATION_ERROR');
    },
  );

  it('loses none of several simultaneous changes', async () => {
    const { connectionId } = await makeConnection(tenant);
    const names = Array.from({ length: 12 }, (_, at) => `member${at}`);
    await Promise.all(names.map((name) => change(tenant, connectionId, { [name]: name })));
    expect(await fieldsOf(connectionId)).toEqual({
      API_KEY: KEY,
      ...Object.fromEntries(names.map((name) => [name, name])),
    });
  });
});

describe('a list of connections', () => {
  it('has the newest first, without fields, and counts all that match', async () => {
    const own = await makeTenant(service);
    const made = [];
    for (const body of [BODIES.Vendor1, BODIES.API, BODIES.Vendor2, BODIES.Vendor1])
      made.push(await makeConnection(own, body));
    const list = async (query: Record<string, string>) =>
      (await own.api.get<{ connections: ConnectionBody[]; total: number }>(CONNECTIONS, { query })).body;

    const ids = made.map(({ connectionId }) => connectionId).reverse();
    const all = await list({});
    expect(all.connections.map(({ connectionId }) => connectionId)).toEqual(ids);
    const [newest] = made.slice(-1);
    const { fields: _, ...summary } = newest!;
    expect(all.connections[0]).toStrictEqual({ ...summary, modifiedOn: summary.createdOn });

    const idsOf = async (query: Record<string, string>) => {
      const { connections, total } = await list(query);
      return [connections.map(({ connectionId }) => ids.indexOf(connectionId)), total];
    };
    expect(await idsOf({ provider: 'Vendor1' })).toEqual([[0, 3], 2]);
    expect(await idsOf({ limit: '2' })).toEqual([[0, 1], 4]);
    expect(await idsOf({ limit: '2', offset: '3' })).toEqual([[3], 4]);
    expect(await idsOf({ offset: '9' })).toEqual([[], 4]);
    await setStatus(own.projectId, ids[1]!, 'INACTIVE');
    expect(await idsOf({ status: 'INACTIVE' })).toEqual([[1], 1]);
    expect(await idsOf({ status: 'ACTIVE', provider: 'Vendor2' })).toEqual([[], 0]);
  });

  it.each<Record<string, string>>([
    { provider: 'vendor1' },
    { status: 'FINALIZED' },
    { limit: '0' },
    { limit: '101' },
    { offset: '-1' },
  ])('is refused with %j', async (query) => {
    expect(await tenant.api.get(CONNECTIONS, { query })).toMatchObject(faultsAt(...Object.keys(query)));
  });
});

describe('administration', () => {
  it('makes a connection inactive and active again', async () => {
    const { connectionId } = await makeConnection(tenant);
    for (const status of ['INACTIVE', 'ACTIVE']) {
      expect((await setStatus(tenant.projectId, connectionId, status)).body).toMatchObject({ data: { status } });
      expect((await read(tenant, connectionId)).body.status).toBe(status);
    }
  });

  it('deletes a connection for good', async () => {
    const { connectionId } = await makeConnection(tenant);
    await administratorOf(service).delete(adminPath(tenant.projectId, connectionId));
    expect((await read(tenant, connectionId)).outcome).toBe('404 CONNECTION_NOT_FOUND');
    expect(await service.database.rows('select from connection where id = $1', [connectionId])).toEqual([]);
  });

  it('finds no connection in a project that does not exist', async () => {
    const { connectionId } = await makeConnection(tenant);
    const answer = await administratorOf(service).get(adminPath(newId('project'), connectionId));
    expect(answer.outcome).toBe('404 PROJECT_NOT_FOUND');
  });
});

describe('a connection whose secrets cannot be read any more', () => {
  it('is marked as unreadable in lists, and accepts new secrets', async () => {
    const own = await makeTenant(service);
    const broken = await makeConnection(own);
    const whole = await makeConnection(own);
    const spoil = `update connection set secrets_sealed = replace(secrets_sealed, 'v1.1.', 'v1.7.') where id = $1`;
    await service.database.rows(spoil, [broken.connectionId]);

    const list = await own.api.get<{ connections: ConnectionBody[] }>(CONNECTIONS);
    expect(list.body.connections.map(({ connectionId, unreadable }) => [connectionId, unreadable])).toEqual([
      [whole.connectionId, undefined],
      [broken.connectionId, true],
    ]);
    expect((await read(own, broken.connectionId)).body).toMatchObject({ unreadable: true, fields: broken.fields });
    const kept = await change(own, broken.connectionId, { API_KEY: MASK });
    expect(kept.outcome).toBe('409 CONNECTION_UNREADABLE');

    expect((await change(own, broken.connectionId, { API_KEY: 'sk-new-secret-56789' })).outcome).toBe('200');
    expect((await read(own, broken.connectionId)).body.unreadable).toBeUndefined();
    expect(await fieldsOf(broken.connectionId)).toEqual({ API_KEY: 'sk-new-secret-56789' });
  });
});

function adminPath(projectId: string, connectionId: string): string {
  return `/api/admin/v1/projects/${projectId}/connections/${connectionId}`;
}

function setStatus(projectId: string, connectionId: string, status: string) {
  return administratorOf(service).patch(adminPath(projectId, connectionId), { status });
}
