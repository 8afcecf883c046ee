import type { Permission } from '../../src/kernel/permissions.js';
import type { IndexedRoute } from '../../src/platform/route/route-index.js';
import { makeApp, makeKeyWith, makeTenant, type Tenant } from '../support/actors.js';
import type { Answer, Refused } from '../support/client.js';
import { illFormed, unknownOf } from '../support/odd-ids.js';
import { isAdministration, isClients, isOpen, isProjects, parametersOf, RouteSuite } from '../support/route-suite.js';
import type { RouteRequest } from '../support/samples.js';
import { startService } from '../support/service.js';

const service = await startService({ API_KEYS_PER_SCOPE: '1000' });
const suite = await RouteSuite.of(service);
const tenant = await makeTenant(service);
const stranger = await makeTenant(service);
/** The permission of this key is needed only by routes of the webhook channel. */
const channel = await makeKeyWith(service, tenant, ['HTTP_ASYNC_SEND']);
afterAll(() => service.stop());

const keyWith = keptBy((permissions: Permission[]) => makeKeyWith(service, tenant, permissions));
const tenantWith = keptBy((permission: Permission) => makeTenant(service, { permissions: [permission] }));

/** Makes one value for each argument, and keeps it. */
function keptBy<Input extends string | string[], Made>(make: (input: Input) => Made): (input: Input) => Made {
  const kept = new Map<string, Made>();
  return (input) => {
    if (!kept.has(String(input))) kept.set(String(input), make(input));
    return kept.get(String(input))!;
  };
}

const withParameter = (request: RouteRequest, name: string, value: string): RouteRequest => ({
  ...request,
  params: { ...request.params, [name]: value },
});

const sayTheSame = ({ status, body }: Answer) => ({ status, ...(body as Refused), meta: undefined });

const ask = (route: IndexedRoute, request: RouteRequest, who: Tenant = tenant) =>
  suite.send(suite.callerOf(route, who), route, request);

const routesWith = (isWanted: (route: IndexedRoute) => boolean) =>
  suite.where((route) => !isOpen(route) && !isClients(route) && parametersOf(route).length > 0 && isWanted(route));

describe.each(routesWith(() => true))('%s', (_, route) => {
  let mine: RouteRequest;
  beforeAll(async () => (mine = await suite.keptSample(route, tenant)));

  it.each(parametersOf(route))('answers an unknown or ill-formed {%s} with one and the same 404', async (name) => {
    const value = mine.params![name]!;
    const unknown = await ask(route, withParameter(mine, name, unknownOf(value)));
    expect(unknown.status).toBe(404);
    const answers = illFormed(value).map(async (odd) => {
      return { odd, ...sayTheSame(await ask(route, withParameter(mine, name, odd))) };
    });
    for (const answer of await Promise.all(answers))
      expect(answer).toEqual({ ...sayTheSame(unknown), odd: answer.odd });
  });
});

describe.each(routesWith(isProjects))('%s', (_, route) => {
  let mine: RouteRequest;
  let theirs: RouteRequest;
  beforeAll(async () => {
    mine = await suite.keptSample(route, tenant);
    theirs = await suite.keptSample(route, stranger);
  });

  it.each(parametersOf(route))('answers the {%s} of another project as one that does not exist', async (name) => {
    // Environments have the same names in every project, so there is no name that only the other project has.
    if (theirs.params![name] === mine.params![name]) return;
    const unknown = await ask(route, withParameter(mine, name, unknownOf(mine.params![name]!)));
    const foreign = await ask(route, withParameter(mine, name, theirs.params![name]!));
    expect(foreign.status).toBe(404);
    expect(sayTheSame(foreign)).toEqual(sayTheSame(unknown));
  });

  it('answers a request with only ids of another project as for ids that do not exist', async () => {
    const [first = ''] = parametersOf(route);
    const unknown = await ask(route, withParameter(mine, first, unknownOf(mine.params![first]!)));
    expect(sayTheSame(await ask(route, theirs))).toEqual(sayTheSame(unknown));
  });
});

describe.each(routesWith((route) => isProjects(route) && parametersOf(route).includes('appId')))('%s', (_, route) => {
  it('sees the app of the key and no other app of the project', async () => {
    const mine = await suite.keptSample(route, tenant);
    const sibling = await makeApp(service, tenant.projectId);
    expect((await ask(route, withParameter(mine, 'appId', sibling))).outcome).toBe('404 APP_NOT_FOUND');
  });
});

describe.each(routesWith((route) => isAdministration(route) && parametersOf(route).length > 1))('%s', (_, route) => {
  it.each(parametersOf(route).slice(1))('does not find the {%s} of one tenant under another', async (name) => {
    const mine = await suite.keptSample(route, tenant);
    const theirs = (await suite.keptSample(route, stranger)).params![name]!;
    if (theirs === mine.params![name]) return;
    const unknown = await ask(route, withParameter(mine, name, unknownOf(theirs)));
    const foreign = await ask(route, withParameter(mine, name, theirs));
    expect(foreign.status).toBe(404);
    expect(sayTheSame(foreign)).toEqual(sayTheSame(unknown));
  });
});

describe.each(suite.where(isProjects))('%s', (_, route) => {
  const permission = route.access as Permission | 'anyKey';
  let mine: RouteRequest;
  beforeAll(async () => (mine = await suite.keptSample(route, tenant)));

  it('is closed to a key that only sends channel messages', async () => {
    if (permission === 'HTTP_ASYNC_SEND') return;
    const answer = await suite.send(channel.api, route, mine);
    expect(answer.outcome).toBe('403 PERMISSION_DENIED');
  });

  it('needs its permission and names it', async () => {
    if (permission === 'anyKey') return;
    const others = (['RUN_API', 'HTTP_ASYNC_SEND', 'SESSIONS_LIST'] as const).filter((name) => name !== permission);
    const { api } = await keyWith(others);
    const answer = await suite.send(api, route, mine);
    expect(answer.outcome).toBe('403 PERMISSION_DENIED');
    expect(answer.body).toMatchObject({ required: [permission] });
  });

  it('is open to a key with its permission alone', async () => {
    const needed = permission === 'anyKey' ? 'RUN_API' : permission;
    const own = await tenantWith(needed);
    const answer = await ask(route, await suite.sample(route, own), own);
    expect(answer.outcome).toBe(String(route.status));
  });
});
