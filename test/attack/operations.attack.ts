import { isAnyId } from '../../src/kernel/ids.js';
import { newKeyValue } from '../../src/kernel/key-format.js';
import type { Permission } from '../../src/kernel/permissions.js';
import type { IndexedRoute } from '../../src/platform/route/route-index.js';
import { hs256, unsignedToken } from '../agent-assist/tokens.js';
import { makeKey, makeKeyWith, makeTenant, revoke } from '../support/actors.js';
import { makeAdminKey, revokeAdminKey } from '../support/admin-keys.js';
import { Client, type RequestOptions } from '../support/client.js';
import { replaceAt, textsIn } from '../support/leaves.js';
import { unknownOf } from '../support/odd-ids.js';
import {
  isAdministration,
  isClients,
  isOpen,
  isProjects,
  nameOf,
  parametersOf,
  RouteSuite,
} from '../support/route-suite.js';
import type { RouteRequest } from '../support/samples.js';
import { forEachOf, report, startAttacked } from './attacked.js';
import { ApiDocument } from './document.js';

const service = await startAttacked({ API_KEYS_PER_SCOPE: '5000' });
const suite = await RouteSuite.of(service);
const document = await ApiDocument.of(service);
const tenant = await makeTenant(service);
const stranger = await makeTenant(service);
afterAll(() => service.stop());
afterEach(() => service.expectLive());

it('attacks every operation of the document', () => {
  expect(document.names().sort()).toEqual(suite.routes.map(nameOf).sort());
});

describe('a key of the wrong kind', () => {
  type Kind = [name: string, headers: Record<string, string>, outcome: string];
  const withKey = (key: string) => ({ 'x-api-key': key });
  let projectKinds: Kind[];
  let administrationKinds: Kind[];

  beforeAll(async () => {
    const { keyId, key: revoked } = await makeKey(service, tenant.appId, tenant.scopeName);
    await revoke(service, tenant.appId, keyId);
    const { keyId: expiredId, key: expired } = await makeKey(service, tenant.appId, tenant.scopeName);
    await service.database.rows(`update api_key set expires_at = now() - interval '1 minute' where id = $1`, [
      expiredId,
    ]);
    const named = await makeAdminKey(service);
    const gone = await makeAdminKey(service);
    await revokeAdminKey(service, gone.adminKeyId);
    const always: Kind[] = [
      ['none', {}, '401 API_KEY_MISSING'],
      ['nonsense', withKey('nonsense'), '401 API_KEY_INVALID'],
      [
        'a mistyped one',
        withKey(`${tenant.key.slice(0, -1)}${tenant.key.endsWith('0') ? 1 : 0}`),
        '401 API_KEY_INVALID',
      ],
      ['one never given out', withKey(newKeyValue('sw_')), '401 API_KEY_INVALID'],
      ['an administrator’s never given out', withKey(newKeyValue('swa_')), '401 API_KEY_INVALID'],
      ['a revoked one', withKey(revoked), '401 API_KEY_INVALID'],
      ['a revoked administrator’s', withKey(gone.adminKey), '401 API_KEY_INVALID'],
      ['a token without a signature', withKey(unsignedToken({ clientId: 'cs-1' })), '401 API_KEY_INVALID'],
      ['a token signed with the key', withKey(hs256(tenant.key, { clientId: 'cs-1' })), '401 API_KEY_INVALID'],
    ];
    projectKinds = [
      ...always,
      ['an expired one', withKey(expired), '401 API_KEY_EXPIRED'],
      ['the administrator’s', withKey(service.adminKey), '401 API_KEY_INVALID'],
      ['a named administrator’s', withKey(named.adminKey), '401 API_KEY_INVALID'],
    ];
    administrationKinds = [
      ...always,
      ['a project’s with every permission', withKey(tenant.key), '401 API_KEY_INVALID'],
    ];
  });

  const kindsOf = (route: IndexedRoute) => (isAdministration(route) ? administrationKinds : projectKinds);

  it.each(suite.where((route) => isProjects(route) || isAdministration(route)))(
    'opens nothing: %s',
    async (_, route) => {
      const request = await suite.keptSample(route, tenant);
      for (const [kind, headers, outcome] of kindsOf(route)) {
        const answer = await suite.send(new Client(service.url, headers), route, request);
        expect([kind, answer.outcome]).toEqual([kind, outcome]);
      }
    },
  );

  it.each(suite.where(isProjects))('includes one without the permission: %s', async (_, route) => {
    const request = await suite.keptSample(route, tenant);
    const channel = await keyWith('HTTP_ASYNC_SEND');
    const others = await keyWith(route.access === 'SESSIONS_LIST' ? 'RUN_API' : 'SESSIONS_LIST');
    const wrong =
      route.access === 'anyKey' ? [channel] : route.access === 'HTTP_ASYNC_SEND' ? [others] : [channel, others];
    for (const { api } of wrong) expect((await suite.send(api, route, request)).outcome).toBe('403 PERMISSION_DENIED');
  });

  it.each(suite.where(isClients))('opens no hook: %s', async (_, route) => {
    const request = await suite.keptSample(route, tenant);
    const { token = '' } = request.headers!;
    const theirs = (await suite.keptSample(route, stranger)).headers!.token!;
    const [head, claims] = token.split('.');
    const tokens = ['', 'nonsense', tenant.key, service.adminKey, `${head}.${claims}.`, `${token}x`, theirs];
    for (const wrong of tokens) {
      const answer = await suite.send(suite.stranger, route, request, { headers: { token: wrong } });
      if (wrong !== theirs) expect([wrong, answer.status]).toEqual([wrong, 401]);
    }
    // A client of another tenant gets the same answer for this bot as for an unknown one.
    const ask = (botId: string) => {
      const body = { ...(request.body as object), botId };
      return suite.send(suite.stranger, route, { params: { botId }, body, headers: { token: theirs } });
    };
    const botId = request.params!.botId!;
    const [known, unknown] = [await ask(botId), await ask(unknownOf(botId))];
    expect(known.status).toBeGreaterThanOrEqual(400);
    expect([known.outcome, known.text]).toEqual([unknown.outcome, unknown.text]);
  });
});

const keys = new Map<Permission, ReturnType<typeof makeKeyWith>>();
/** Makes one key for each permission, and keeps it. */
function keyWith(permission: Permission) {
  if (!keys.has(permission)) keys.set(permission, makeKeyWith(service, tenant, [permission]));
  return keys.get(permission)!;
}

/** A place of a request that has an id, and the request with another id in it. */
interface Place {
  at: string;
  kinds: string[];
  with(id: string): Pick<RouteRequest, 'params'> & RequestOptions;
}

describe('an id of another project', () => {
  /** An id of each kind that the other project has, by its prefix. */
  const theirs = new Map<string, string>();
  let before: Record<string, string[]>;

  beforeAll(async () => {
    await forEachOf(suite.routes, 4, async (route) => {
      const { params, query, body } = await suite.keptSample(route, stranger);
      for (const id of idsIn({ params, query, body })) theirs.set(prefixOf(id), id);
    });
    before = await rowsOf(stranger.projectId);
    report('Kinds of ids of the other project', [...theirs.keys()].join(' '));
  });

  it.each(suite.where((route) => !isOpen(route)))('is answered as an unknown one: %s', async (_, route) => {
    const sampled = await suite.sample(route, tenant);
    for (const place of placesIn(route, sampled)) {
      for (const kind of place.kinds) {
        const foreign = theirs.get(kind)!;
        // An accepted request may change the answer of the next one, so each request has a sample of its own.
        const ask = async (id: string) => {
          const fresh = route.verb === 'GET' ? sampled : await suite.sample(route, tenant);
          const changed = placesIn(route, fresh)
            .find(({ at }) => at === place.at)!
            .with(id);
          const { params, ...more } = changed;
          const answer = await suite.send(
            suite.callerOf(route, tenant),
            route,
            { ...fresh, ...(params && { params }) },
            more,
          );
          return { at: place.at, kind, outcome: answer.outcome, text: comparable(answer.text, id) };
        };
        expect(await ask(foreign)).toEqual(await ask(unknownOf(foreign)));
      }
    }
  });

  it('names a row that these requests have not changed', async () => {
    expect(await rowsOf(stranger.projectId)).toEqual(before);
  });

  function placesIn(route: IndexedRoute, { params = {}, query = {}, body }: RouteRequest): Place[] {
    const all = [...theirs.keys()];
    const named = parametersOf(route).filter((name) => isAnyId(params[name] ?? ''));
    // An administrator may use the first id of any project.
    const paths = (isAdministration(route) ? named.slice(1) : named).map((name) => ({
      at: `path ${name}`,
      kinds: all.filter((kind) => kind === prefixOf(params[name]!)),
      with: (id: string) => ({ params: { ...params, [name]: id } }),
    }));
    if (isAdministration(route)) return [...paths, ...bodyPlaces(route, body)];
    const queries = document.queryOf(route).map(([name]) => ({
      at: `query ${name}`,
      kinds: all,
      with: (id: string) => ({ query: { ...query, [name]: id } }),
    }));
    return [...paths, ...queries, ...bodyPlaces(route, body)];
  }

  function bodyPlaces(route: IndexedRoute, body: unknown): Place[] {
    const schema = document.bodyOf(route);
    if (!schema) return [];
    const members = document
      .membersOf(schema)
      .filter(([name, member]) => namesAnId(route, name) && document.takesText(member));
    const declared = members.map(([name, member]) => ({
      at: `body ${name}`,
      kinds: kindsFor(name),
      with: (id: string) => ({ body: { ...(body as object), [name]: document.isList(member) ? [id] : id } }),
    }));
    const present = textsIn(body).flatMap((path) => {
      const value = path.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], body) as string;
      if (!isAnyId(value)) return [];
      const kinds = [...theirs.keys()].filter((kind) => kind === prefixOf(value));
      return [{ at: `body ${path.join('.')}`, kinds, with: (id: string) => ({ body: replaceAt(body, path, id) }) }];
    });
    return [...declared.filter(({ at }) => !present.some((place) => place.at === at)), ...present];
  }

  /** The client id of an auth profile comes from another provider, so it may be any text. */
  function namesAnId(route: IndexedRoute, name: string): boolean {
    return /(Id|Ids|_id|_ids)$/.test(name) && !(name === 'clientId' && route.path.includes('auth-profiles'));
  }

  /** Returns the kinds of ids that a member of this name may have. If the name does not say, these are all kinds. */
  function kindsFor(name: string): string[] {
    const known: Record<string, string[]> = {
      file: ['f-'],
      connection: ['cn-'],
      tool: ['tl-'],
      model: ['cm-'],
      agent: ['a-'],
    };
    const found = Object.entries(known)
      .find(([word]) => name.toLowerCase().includes(word))?.[1]
      .filter((kind) => theirs.has(kind));
    return found?.length ? found : [...theirs.keys()];
  }

  const idsIn = (value: object) =>
    JSON.stringify(value)
      .match(/(?<=")[a-z]+(-[a-z]+)*-[0-9A-Za-z]{22}(?=")/g)
      ?.filter(isAnyId) ?? [];
});

const prefixOf = (id: string) => id.slice(0, id.lastIndexOf('-') + 1);

/**
 * Replaces the id, other ids and times in an answer, so that answers to requests with different ids can be compared.
 */
function comparable(text: string, id: string): string {
  return text
    .replaceAll(id, 'the id')
    .replaceAll(/\b[a-z]+(-[a-z]+)*-[0-9A-Za-z]{22}\b/g, 'an id')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time');
}

/** The tables that change without requests, because callbacks are tried again and sums are folded. */
const GO_ON = ['job', 'ledger_rollup', 'webhook_delivery', 'webhook_subscription'];

/** Reads all rows that belong to a project, by table. */
async function rowsOf(projectId: string): Promise<Record<string, string[]>> {
  const tables = await service.database.rows<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'project_id' and not table_name = any($1) order by 1`,
    [GO_ON],
  );
  const entries = tables.map(async ({ name }) => {
    const rows = await service.database.rows<{ line: string }>(
      `select t::text as line from ${name} t where project_id = $1 order by 1`,
      [projectId],
    );
    return [name, rows.map(({ line }) => line)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
