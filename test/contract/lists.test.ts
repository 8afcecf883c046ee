import { newId } from '../../src/kernel/ids.js';
import type { IndexedRoute } from '../../src/platform/route/route-index.js';
import { Desk, entry, newConversation } from '../agent-assist/bots.js';
import { makeActiveAgent } from '../agents/make.js';
import { makeProfile } from '../agents/sign-in.js';
import { DEPLOYMENT } from '../models/models.js';
import { aSession } from '../sessions/sessions.samples.js';
import { makeApp, makeProject, makeTenant, uniqueName } from '../support/actors.js';
import { type Answer, faultsAt } from '../support/client.js';
import { committedOpenApi } from '../support/committed-open-api.js';
import { OpenApiReader } from '../support/open-api.js';
import { nameOf, RouteSuite } from '../support/route-suite.js';
import type { RouteRequest, World } from '../support/samples.js';
import { startService } from '../support/service.js';
import { sendTest } from '../webhooks/subscribe.js';

/** A column of the type `bigint` can have this value, and one of the type `integer` cannot. */
const LARGER_THAN_INTEGER = 3_000_000_000;

const service = await startService();
const suite = await RouteSuite.of(service);
const world: World = { service, tenant: await makeTenant(service) };
const otherTenant = await makeTenant(service);
afterAll(() => service.stop());

const ADMIN = '/api/admin/v1';
const CONVERSATION = `${ADMIN}/bots/{botId}/conversations/{conversationId}`;
const documents = new OpenApiReader(committedOpenApi());
const isAdministration = ({ path }: IndexedRoute) => path.startsWith(ADMIN);

/** Returns the query parameters of a route with their possible values, if these are listed. */
function queryOf(route: IndexedRoute): Map<string, string[]> {
  const { parameters = [] } = documents.operation(nameOf(route));
  return new Map(
    parameters.flatMap((one) => {
      if (!('in' in one) || one.in !== 'query') return [];
      const { enum: values = [] } = one.schema as { enum?: string[] };
      return [[one.name, values] as const];
    }),
  );
}

type Row = Record<string, unknown>;
type Query = Record<string, string>;

interface Page {
  data: Row[];
  meta: { nextCursor: string | null };
}

/** Makes a row of a list for which the sample of no route makes one. */
const makers: Record<string, (request: RouteRequest) => Promise<unknown>> = {
  [`GET ${ADMIN}/apps`]: () => makeApp(service, world.tenant.projectId),
  [`GET ${ADMIN}/problems`]: () => makeProject(service),
  [`GET ${ADMIN}/ledger-summary`]: () => makeProject(service),
  [`GET ${ADMIN}/apps/{appId}/users`]: () => aSession(world),
  [`GET ${ADMIN}/apps/{appId}/auth-profiles`]: () => makeProfile(service, world.tenant),
  [`GET ${ADMIN}/apps/{appId}/agents/{agentId}/versions`]: ({ params }) =>
    sendSample(`PATCH ${ADMIN}/apps/{appId}/agents/{agentId}`, params),
  [`GET ${ADMIN}/apps/{appId}/environments/{envName}/activations`]: () => makeActiveAgent(service, world.tenant),
  [`GET ${ADMIN}/webhook-subscriptions/{subscriptionId}/deliveries`]: endedDelivery,
  [`GET ${ADMIN}/bots/{botId}/conversations`]: ({ params }) =>
    tellMore({ ...params, conversationId: newConversation() }, (desk, id) => desk.tell(id, entry('NA'))),
  [`GET ${CONVERSATION}/transcript`]: ({ params }) => tellMore(params!, (desk, id) => desk.say(id, 'And my bill?')),
  [`GET ${CONVERSATION}/segments`]: ({ params }) =>
    tellMore(params!, (desk, id) => desk.tell(id, entry('NA', uniqueName('agent')))),
  [`GET ${ADMIN}/projects/{projectId}/models/{modelId}/versions`]: endedDeployment,
  [`GET ${ADMIN}/projects/{projectId}/tools/{toolId}/versions`]: furtherVersion,
};

/** Writes the row of a deployment, because a real one would start an engine. */
function endedDeployment({ params }: RouteRequest): Promise<unknown> {
  const { name, deviceType, hyperParameters } = DEPLOYMENT;
  const scaling = { maxBatchSize: 1, minReplicas: 1, maxReplicas: 1, scaleUpDelay: 1, scaleDownDelay: 1 };
  return service.database.rows(
    `insert into model_deployment (id, project_id, model_id, number, name, model_type, hyper_parameters,
       scaling_parameters, device_type, state, created_at)
     select $1, $2, $3, count(*) + 1, $4, 'openSource', $5, $6, $7, 'ENDED', now()
     from model_deployment where model_id = $3`,
    [newId('modelDeployment'), params!.projectId, params!.modelId, name, hyperParameters, scaling, deviceType],
  );
}

/** Ends a delivery at once, because its attempts would change it while the list is read. */
async function endedDelivery({ params }: RouteRequest): Promise<void> {
  const deliveryId = await sendTest(service, params!.subscriptionId!);
  await service.database.rows(
    `update webhook_delivery set status = 'FAILED', ended_at = now() where id = $1 and status = 'PENDING'`,
    [deliveryId],
  );
}

/** Copies the newest version of a tool, because an import is a job. */
function furtherVersion({ params }: RouteRequest): Promise<unknown> {
  return service.database.rows(
    `insert into tool_version (id, tool_id, number, tool_json, callflows_json, variables_json, created_at)
     select $1, tool_id, number + 1, tool_json, callflows_json, variables_json, now()
     from tool_version where tool_id = $2 order by number desc limit 1`,
    [newId('toolVersion'), params!.toolId],
  );
}

/** Reports more of the conversation of a sample. */
async function tellMore(
  { botId, conversationId }: NonNullable<RouteRequest['params']>,
  tell: (desk: Desk, conversationId: string) => Promise<Answer>,
): Promise<void> {
  const { outcome } = await tell(await Desk.of(service, world.tenant, botId!), conversationId!);
  expect(outcome).toBe('200');
}

/** Sends the sample of a route, of which the parameters in the path may be others. */
async function sendSample(name: string, params: RouteRequest['params'] = {}): Promise<void> {
  const route = suite.routes.find((one) => nameOf(one) === name)!;
  const request = await suite.sample(route, world.tenant);
  const sent = { ...request, params: { ...request.params, ...params } };
  const { outcome } = await suite.send(suite.callerOf(route, world.tenant), route, sent);
  expect(outcome).toMatch(/^20/);
}

/** Makes a row of a list: by the route that creates one, or with the sample of the route that reads one. */
async function makeOne(list: IndexedRoute, request: RouteRequest): Promise<void> {
  const maker = makers[nameOf(list)];
  if (maker) return void (await maker(request));
  const creates = suite.routes.find(({ verb, path }) => verb === 'POST' && path === list.path);
  if (creates) return sendSample(nameOf(creates));
  const reads = suite.routes.find(
    ({ verb, path }) =>
      verb === 'GET' &&
      path.startsWith(`${list.path}/{`) &&
      path.split('/{').length === list.path.split('/{').length + 1,
  );
  await suite.sample(reads!, world.tenant);
}

function get(list: IndexedRoute, request: RouteRequest, query: Query): Promise<Answer> {
  return suite.send(suite.callerOf(list, world.tenant), list, request, { query: { ...request.query, ...query } });
}

async function pageOf(list: IndexedRoute, request: RouteRequest, query: Query): Promise<Page> {
  const answer = await get(list, request, query);
  expect(answer.outcome).toBe('200');
  return answer.body as Page;
}

/** Reads a list page by page. `meanwhile` is called after the first page. */
async function rowsOf(
  list: IndexedRoute,
  request: RouteRequest,
  query: Query,
  meanwhile: () => Promise<void> = () => Promise.resolve(),
): Promise<Row[]> {
  const first = await pageOf(list, request, query);
  await meanwhile();
  const rows = first.data;
  for (let next = first.meta.nextCursor; next !== null;) {
    const page = await pageOf(list, request, { ...query, cursor: next });
    rows.push(...page.data);
    next = page.meta.nextCursor;
  }
  return rows;
}

/** A row has its id first. */
const idOf = (row: Row) => Object.values(row)[0];

/** Returns the rows that are still the same. Jobs of the service run meanwhile, so that rows are added and changed. */
function settledOf(before: Row[], after: Row[]): Row[] {
  const texts = new Set(before.map((row) => JSON.stringify(row)));
  return after.filter((row) => texts.has(JSON.stringify(row)));
}

/** Makes sure that small pages have the rows that a large one has before and after them, each once. */
async function expectSameInParts(
  list: IndexedRoute,
  request: RouteRequest,
  query: Query,
  meanwhile?: () => Promise<void>,
): Promise<Row[]> {
  const before = await rowsOf(list, request, { ...query, limit: '100' });
  const inParts = await rowsOf(list, request, { ...query, limit: '2' }, meanwhile);
  const after = await rowsOf(list, request, { ...query, limit: '100' });
  const settled = settledOf(before, after);
  const ids = new Set(settled.map(idOf));
  expect(inParts.filter((row) => ids.has(idOf(row)))).toEqual(settled);
  return settled;
}

/** Two rows are compared by this: no value is the largest, and capitals do not count. */
function sortValue(value: unknown): [isNull: boolean, value: unknown] {
  return [value === null, typeof value === 'string' ? value.toLowerCase() : value];
}

function compare(a: unknown, b: unknown): number {
  const [isNullA, valueA] = sortValue(a);
  const [isNullB, valueB] = sortValue(b);
  if (isNullA || isNullB) return Number(isNullA) - Number(isNullB);
  return (valueA as string) < (valueB as string) ? -1 : Number((valueA as string) > (valueB as string));
}

const lists = suite.where((route) => isAdministration(route) && queryOf(route).has('cursor'));
const sortable = lists.filter(([, route]) => queryOf(route).has('sort'));
const others = lists.filter(([, route]) => !queryOf(route).has('order'));

it('finds the lists', () => {
  expect(sortable.length).toBeGreaterThan(0);
});

describe.each(sortable)('%s', (_, list) => {
  const parameters = queryOf(list);
  const sorts = parameters.get('sort')!;
  const filters = [...parameters].filter(([name, values]) => values.length > 1 && !['sort', 'order'].includes(name));
  let request: RouteRequest;
  beforeAll(async () => {
    // Without the filters of the sample, the list has all rows.
    request = { ...(await suite.sample(list, world.tenant)), query: {} };
    for (let made = 0; made < 3; made += 1) await makeOne(list, request);
  });

  it.each(sorts)('is read in parts as at once, sorted by %s in both orders', async (sort) => {
    const ascending = await expectSameInParts(list, request, { sort, order: 'asc' });
    const descending = await expectSameInParts(list, request, { sort, order: 'desc' });
    expect(ascending.length).toBeGreaterThanOrEqual(3);
    const ids = ascending.map(idOf);
    const reversed = descending.map(idOf).filter((id) => ids.includes(id));
    expect(reversed).toEqual(ids.filter((id) => reversed.includes(id)).reverse());
    const values = ascending.filter((row) => sort in row).map((row) => row[sort]);
    expect(values).toEqual(values.toSorted(compare));
  });

  it('begins with its first sort where a request names none', async () => {
    const rows = await rowsOf(list, request, { limit: '100' });
    const named = await rowsOf(list, request, { limit: '100', sort: sorts[0]! });
    expect(rows.map(idOf)).toEqual(named.map(idOf));
  });

  it.each(sorts)('keeps its rows in parts while one is added, sorted by %s', async (sort) => {
    await expectSameInParts(list, request, { sort, order: 'desc' }, () => makeOne(list, request));
  });

  it('has each row with one value of a filter', async () => {
    for (const [filter, values] of filters) {
      const before = await rowsOf(list, request, { limit: '100' });
      const parts: Row[] = [];
      for (const value of values) {
        const found = await expectSameInParts(list, request, { [filter]: value });
        for (const row of found) if (filter in row) expect(String(row[filter])).toBe(value);
        parts.push(...found);
      }
      const settled = settledOf(before, await rowsOf(list, request, { limit: '100' }));
      const ids = new Set(settled.map(idOf));
      const found = parts.map(idOf).filter((id) => ids.has(id));
      expect(found.toSorted()).toEqual([...ids].toSorted());
    }
  });

  it('refuses what is no cursor, and a cursor of another order, sort or filter', async () => {
    const { meta } = await pageOf(list, request, { limit: '1', order: 'asc', sort: sorts[0]! });
    const cursor = meta.nextCursor!;
    const same = { order: 'asc', sort: sorts[0]! };
    const refused: Query[] = [
      ...['', 'nonsense', '\u{1F4A5}', cursor.slice(0, -4)].map((text) => ({ ...same, cursor: text })),
      { ...same, order: 'desc', cursor },
      ...sorts.slice(1).map((sort) => ({ ...same, sort, cursor })),
      ...filters.map(([filter, values]) => ({ ...same, [filter]: values[0]!, cursor })),
    ];
    for (const query of refused) expect(await get(list, request, query)).toMatchObject(faultsAt('cursor'));
    expect(await get(list, request, { ...same, cursor })).toMatchObject({ outcome: '200' });
  });

  it('refuses a cursor with a key that is too large for the column', async () => {
    const { meta } = await pageOf(list, request, { limit: '1' });
    const [fingerprint, value, key] = JSON.parse(Buffer.from(meta.nextCursor!, 'base64url').toString()) as unknown[];
    if (typeof key !== 'number') return;
    const forged = JSON.stringify([fingerprint, value === key ? LARGER_THAN_INTEGER : value, LARGER_THAN_INTEGER]);
    const answer = await get(list, request, { limit: '1', cursor: Buffer.from(forged).toString('base64url') });
    expect(answer).toMatchObject(answer.status === 200 ? { outcome: '200' } : faultsAt('cursor'));
  });

  it('refuses a cursor of the same list of another owner', async () => {
    const { meta } = await pageOf(list, request, { limit: '1' });
    expect(meta.nextCursor).toEqual(expect.any(String));
    const other = { ...(await suite.sample(list, otherTenant)), query: {} };
    const isOwned = JSON.stringify(other.params) !== JSON.stringify(request.params);
    const answer = await get(list, other, { limit: '1', cursor: meta.nextCursor! });
    expect(answer).toMatchObject(isOwned ? faultsAt('cursor') : { outcome: '200' });
    if (isOwned) expect(JSON.stringify(answer.body)).toContain('belongs to another list');
  });

  it.each([
    ['order', 'newest'],
    ['order', 'DESC'],
    ['order', ''],
    ['sort', 'id'],
    ['sort', ''],
  ])('refuses the %s %j', async (name, value) => {
    expect(await get(list, request, { [name]: value })).toMatchObject(faultsAt(name));
  });
});

it.each(others)('%s has an order of its own, and refuses another one', async (_, list) => {
  const request = await suite.keptSample(list, world.tenant);
  expect(await get(list, request, { order: 'desc' })).toMatchObject(faultsAt('order'));
});
