import { makeConnection } from '../connections/make.js';
import {
  administratorOf,
  makeApp,
  makeKey,
  makeProject,
  makeScope,
  makeTenant,
  uniqueName,
} from '../support/actors.js';
import { makeAdminKey } from '../support/admin-keys.js';
import { faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';

const service = await startService();
const admin = administratorOf(service);
afterAll(() => service.stop());

interface PageBody {
  data: Record<string, string>[];
  meta: { nextCursor: string | null };
}

/** Every page of a list, each with one request. */
async function pagesOf(
  path: string,
  limit: number,
  more: Record<string, string> = {},
): Promise<Record<string, string>[][]> {
  const pages: Record<string, string>[][] = [];
  let cursor: string | null = null;
  do {
    const query: Record<string, string> = { ...more, limit: String(limit), ...(cursor !== null && { cursor }) };
    const answer = await admin.get<PageBody>(path, { query });
    expect(answer.outcome).toBe('200');
    pages.push(answer.body.data);
    cursor = answer.body.meta.nextCursor;
  } while (cursor !== null && pages.length < 100);
  return pages;
}

/** Makes five of a kind, in turn, and gives back where they are listed and what their ids are. */
const kinds: Record<string, () => Promise<{ path: string; idName: string; ids: string[] }>> = {
  apps: async () => {
    const projectId = await makeProject(service);
    const ids = await inTurn(() => makeApp(service, projectId));
    return { path: `/api/admin/v1/projects/${projectId}/apps`, idName: 'appId', ids };
  },
  scopes: async () => {
    const appId = await makeApp(service, await makeProject(service));
    const ids = await inTurn(async () => (await makeScope(service, appId)).scopeId);
    return { path: `/api/admin/v1/apps/${appId}/scopes`, idName: 'scopeId', ids };
  },
  keys: async () => {
    const appId = await makeApp(service, await makeProject(service));
    const { scopeName } = await makeScope(service, appId);
    const ids = await inTurn(async () => (await makeKey(service, appId, scopeName)).keyId);
    return { path: `/api/admin/v1/apps/${appId}/apikeys`, idName: 'keyId', ids };
  },
};

async function inTurn(make: () => Promise<string>): Promise<string[]> {
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) ids.push(await make());
  return ids;
}

describe.each(Object.entries(kinds))('a list of %s', (_, makeFive) => {
  it('has every one once, oldest first, page by page', async () => {
    const { path, idName, ids } = await makeFive();
    const pages = await pagesOf(path, 2);
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat().map((row) => row[idName])).toEqual(ids);
  });

  it('ends with a full page when they come out even', async () => {
    const { path } = await makeFive();
    expect((await pagesOf(path, 5)).map((page) => page.length)).toEqual([5]);
    expect((await pagesOf(path, 1)).map((page) => page.length)).toEqual([1, 1, 1, 1, 1]);
  });

  it('goes on behind a cursor when what the cursor names is gone', async () => {
    const { path, idName, ids } = await makeFive();
    const { body } = await admin.get<PageBody>(path, { query: { limit: '2' } });
    await admin.delete(pathOfOne(path, ids[1]!));
    const rest = await admin.get<PageBody>(path, { query: { cursor: body.meta.nextCursor! } });
    expect(rest.body.data.map((row) => row[idName])).toEqual(ids.slice(2));
  });
});

it('lists the apps of all projects in the same way, each with its project', async () => {
  const projects = { first: await makeProject(service, 'First'), second: await makeProject(service, 'Second') };
  const appIds = [await makeApp(service, projects.first), await makeApp(service, projects.second)];
  const all = (await pagesOf('/api/admin/v1/apps', 3)).flat();
  const ids = all.map(({ appId }) => appId!);
  expect(ids).toEqual([...new Set(ids)].sort());
  expect(all.filter(({ appId }) => appIds.includes(appId!))).toMatchObject([
    { projectId: projects.first, projectName: 'First' },
    { projectId: projects.second, projectName: 'Second' },
  ]);
  const ofSecond = await admin.get<PageBody>('/api/admin/v1/apps', { query: { projectId: projects.second } });
  expect(ofSecond.body.data.map(({ appId }) => appId)).toEqual([appIds[1]]);
});

it('lists projects and administration keys in the same way', async () => {
  await inTurn(() => makeProject(service));
  await inTurn(async () => (await makeAdminKey(service, uniqueName('pager'))).adminKeyId);
  for (const [path, idName] of [
    ['/api/admin/v1/projects', 'projectId'],
    ['/api/admin/v1/admin-keys', 'adminKeyId'],
  ] as const) {
    const ids = (await pagesOf(path, 3)).flat().map((row) => row[idName]!);
    expect(ids.length).toBeGreaterThanOrEqual(5);
    expect(ids).toEqual([...new Set(ids)].sort());
  }
});

it('has twenty on a page unless asked otherwise', async () => {
  const projectId = await makeProject(service);
  await Promise.all(Array.from({ length: 21 }, () => makeApp(service, projectId)));
  const { body } = await admin.get<PageBody>(`/api/admin/v1/projects/${projectId}/apps`);
  expect(body.data).toHaveLength(20);
  expect(body.meta.nextCursor).not.toBeNull();
});

it('is empty for an app without any', async () => {
  const appId = await makeApp(service, await makeProject(service));
  const { body } = await admin.get<PageBody>(`/api/admin/v1/apps/${appId}/scopes`);
  expect(body).toMatchObject({ data: [], meta: { nextCursor: null } });
});

describe('a query of a list', () => {
  const path = '/api/admin/v1/projects';

  it.each(['0', '-1', '101', '1.5', '0x10', '1e1', ' 5', 'many', ''])('is refused with the limit %j', async (limit) => {
    expect(await admin.get(path, { query: { limit } })).toMatchObject(faultsAt('limit'));
  });

  it('is refused with a limit given twice', async () => {
    expect(await admin.get(path, { query: { limit: ['1', '2'] } })).toMatchObject(faultsAt('limit'));
  });

  it('is refused with a cursor given twice', async () => {
    expect(await admin.get(path, { query: { cursor: ['first', 'second'] } })).toMatchObject(faultsAt('cursor'));
  });

  it.each(['', 'nonsense', "' or true --", '\u{1F4A5}', 'x'.repeat(65)])(
    'is refused with the cursor %s, which cannot be one',
    async (cursor) => {
      expect(await admin.get(path, { query: { cursor } })).toMatchObject(faultsAt('cursor'));
    },
  );

  it('does not list what another tenant has', async () => {
    const [a, b] = await Promise.all([makeTenant(service), makeTenant(service)]);
    const { body } = await admin.get<PageBody>(`/api/admin/v1/apps/${a.appId}/apikeys`);
    expect(JSON.stringify(body)).not.toContain(b.keyId);
  });
});

describe('a sorted list', () => {
  /** Reads a list one row a page, in both orders, and returns the values of a member. */
  async function valuesOf(path: string, sort: string): Promise<Record<string, (string | null)[]>> {
    const read = async (order: string) => (await pagesOf(path, 1, { sort, order })).flat().map((row) => row[sort]!);
    return { asc: await read('asc'), desc: await read('desc') };
  }

  it('has rows without a value behind all others, and before them in the other order', async () => {
    const { appId, scopeName } = await makeTenant(service);
    const expiries = ['2099-01-01T00:00:00.000Z', null, '2098-01-01T00:00:00.000Z', null, '2099-01-01T00:00:00.000Z'];
    const path = `/api/admin/v1/apps/${appId}/apikeys`;
    for (const expiresAt of expiries) {
      const key = { scopeName, apiKeyName: uniqueName('key'), ...(expiresAt !== null && { expiresAt }) };
      expect((await admin.post(path, key)).outcome).toBe('201');
    }
    // The tenant has a key of its own, which never expires.
    const dates = ['2098-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z'];
    const ascending = [...dates, null, null, null];
    expect(await valuesOf(path, 'expiresAt')).toEqual({ asc: ascending, desc: ascending.toReversed() });
  });

  it('does not tell capitals from small letters', async () => {
    const projectId = await makeProject(service);
    for (const name of ['beta', 'Gamma', 'alpha', 'Beta', 'ALPHA']) await makeApp(service, projectId, name);
    const ascending = ['alpha', 'ALPHA', 'beta', 'Beta', 'Gamma'];
    const path = `/api/admin/v1/projects/${projectId}/apps`;
    expect(await valuesOf(path, 'name')).toEqual({ asc: ascending, desc: ascending.toReversed() });
  });

  it('has each row once where times are finer than those of the program', async () => {
    const tenant = await makeTenant(service);
    const times = ['2026-11-01T00:00:00.123456Z', '2026-11-01T00:00:00.123789Z', '2026-11-01T00:00:00.124001Z'];
    for (const modifiedAt of times) {
      const { connectionId } = await makeConnection(tenant);
      await service.database.rows('update connection set modified_at = $2 where id = $1', [connectionId, modifiedAt]);
    }
    const ascending = ['123', '123', '124'].map((ms) => `2026-11-01T00:00:00.${ms}Z`);
    const path = `/api/admin/v1/projects/${tenant.projectId}/connections`;
    expect(await valuesOf(path, 'modifiedOn')).toEqual({ asc: ascending, desc: ascending.toReversed() });
  });

  it.each(['createdAt', 'name'])('refuses a cursor by %s with what no row has', async (sort) => {
    const projectId = await makeProject(service);
    for (const name of ['first', 'second']) await makeApp(service, projectId, name);
    const path = `/api/admin/v1/projects/${projectId}/apps`;
    const { body } = await admin.get<PageBody>(path, { query: { sort, limit: '1' } });
    const [list, value, id] = JSON.parse(Buffer.from(body.meta.nextCursor!, 'base64url').toString()) as unknown[];
    expect(id).toBe(body.data[0]!.appId);
    for (const forged of [[list, 7, id], [list, value, 7], [list, '\0', id], [list, value, '\0'], [list], null, {}]) {
      const cursor = Buffer.from(JSON.stringify(forged)).toString('base64url');
      expect(await admin.get(path, { query: { sort, cursor } })).toMatchObject(faultsAt('cursor'));
    }
  });
});

/** Where one of a list is deleted. */
function pathOfOne(path: string, id: string): string {
  return id.startsWith('aa-') ? `/api/admin/v1/apps/${id}` : `${path}/${id}`;
}
