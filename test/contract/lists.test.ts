import { newId } from '../../src/kernel/ids.js';
import type { IndexedRoute } from '../../src/platform/route/route-index.js';
import { makeProfile } from '../agents/sign-in.js';
import { DEPLOYMENT } from '../models/models.js';
import { makeApp, makeProject, makeTenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { committedOpenApi, OpenApiReader } from '../support/open-api.js';
import { nameOf, RouteSuite } from '../support/route-suite.js';
import type { RouteRequest, World } from '../support/samples.js';
import { startService } from '../support/service.js';

const service = await startService();
const suite = await RouteSuite.of(service);
const world: World = { service, tenant: await makeTenant(service) };
afterAll(() => service.stop());

const ADMIN = '/api/admin/v1';
const documents = new OpenApiReader(committedOpenApi());
const isAdministration = ({ path }: IndexedRoute) => path.startsWith(ADMIN);

function takes(route: IndexedRoute, parameter: string): boolean {
  const { parameters = [] } = documents.operation(nameOf(route));
  return parameters.some((one) => 'name' in one && one.name === parameter);
}

interface Page {
  data: object[];
  meta: { nextCursor: string | null };
}

/** Makes a row of a list for which the sample of no route makes one. */
const makers: Record<string, (request: RouteRequest) => Promise<unknown>> = {
  [`GET ${ADMIN}/apps`]: () => makeApp(service, world.tenant.projectId),
  [`GET ${ADMIN}/problems`]: () => makeProject(service),
  [`GET ${ADMIN}/ledger-summary`]: () => makeProject(service),
  [`GET ${ADMIN}/apps/{appId}/auth-profiles`]: () => makeProfile(service, world.tenant),
  [`GET ${ADMIN}/apps/{appId}/agents/{agentId}/versions`]: ({ params }) =>
    sendSample(`PATCH ${ADMIN}/apps/{appId}/agents/{agentId}`, params),
  [`GET ${ADMIN}/projects/{projectId}/models/{modelId}/versions`]: endedDeployment,
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

async function pagesOf(list: IndexedRoute, request: RouteRequest, query: Record<string, string>): Promise<object[][]> {
  const pages: object[][] = [];
  let next: { cursor?: string } | null = {};
  while (next) {
    const more = { query: { ...request.query, ...query, ...next } };
    const answer = await suite.send(suite.callerOf(list, world.tenant), list, request, more);
    expect(answer.outcome).toBe('200');
    const { data, meta } = answer.body as Page;
    pages.push(data);
    next = meta.nextCursor === null ? null : { cursor: meta.nextCursor };
  }
  return pages;
}

const lists = suite.where((route) => isAdministration(route) && takes(route, 'cursor'));
const ordered = lists.filter(([, route]) => takes(route, 'order'));
const others = lists.filter(([, route]) => !takes(route, 'order'));

it('lists of most modules have an order that clients choose', () => {
  expect(ordered.length).toBeGreaterThanOrEqual(20);
});

describe.each(ordered)('%s', (_, list) => {
  it('begins with the oldest or with the newest, and goes on in the same order behind a cursor', async () => {
    const request = await suite.sample(list, world.tenant);
    for (let made = 0; made < 3; made += 1) await makeOne(list, request);
    const [oldestFirst] = await pagesOf(list, request, { limit: '100' });
    expect(oldestFirst!.length).toBeGreaterThanOrEqual(3);
    expect(await pagesOf(list, request, { order: 'asc', limit: '100' })).toEqual([oldestFirst]);
    const newestFirst = await pagesOf(list, request, { order: 'desc', limit: '2' });
    expect(newestFirst[0]).toEqual(oldestFirst!.toReversed().slice(0, 2));
    expect(newestFirst.flat()).toEqual(oldestFirst!.toReversed());
  });

  it.each(['newest', 'DESC', ''])('refuses the order %j', async (order) => {
    const request = await suite.keptSample(list, world.tenant);
    const query = { ...request.query, order };
    const answer = await suite.send(suite.callerOf(list, world.tenant), list, request, { query });
    expect(answer).toMatchObject(faultsAt('order'));
  });
});

it.each(others)('%s has an order of its own, and refuses another one', async (_, list) => {
  const request = await suite.keptSample(list, world.tenant);
  const query = { ...request.query, order: 'desc' };
  const answer = await suite.send(suite.callerOf(list, world.tenant), list, request, { query });
  expect(answer).toMatchObject(faultsAt('order'));
});
