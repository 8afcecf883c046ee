import { rateLimitErrors } from '../../src/platform/rate-limit/rate-limit.errors.js';
import { statusIn } from '../../src/platform/route/error-shape.js';
import { makeKey, makeKeyWith, makeTenant, type Tenant } from '../support/actors.js';
import type { Client } from '../support/client.js';
import { unknownOf } from '../support/odd-ids.js';
import { isProjects, parametersOf, RouteSuite, takesBody } from '../support/route-suite.js';
import type { RouteRequest } from '../support/samples.js';
import { startService } from '../support/service.js';
import { redisDatabase } from '../support/settings.js';

/** The limit of requests per minute, which is high enough for the preparation of the tests. */
const LIMIT = 30;

const limits = ['RATE_LIMIT_DEFAULT', 'RATE_LIMIT_LEDGER', 'RATE_LIMIT_MESSAGES'];
const service = await startService({
  ...Object.fromEntries(limits.map((name) => [name, String(LIMIT)])),
  REDIS_URL: redisDatabase(1),
});
const suite = await RouteSuite.of(service);
afterAll(() => service.stop());

const UNKNOWN_QUERY = { query: { colour: 'red' } };

describe.each(suite.where(isProjects))('%s', (_, route) => {
  const parameters = parametersOf(route);
  const tenantParameter = parameters.find((name) => name === 'appId' || name === 'projectId');
  const resources = parameters.filter((name) => name !== tenantParameter);

  let tenant: Tenant;
  let request: RouteRequest;
  beforeAll(async () => {
    tenant = await makeTenant(service);
    request = await suite.sample(route, tenant);
  });

  const at = (name: string): RouteRequest => ({
    ...request,
    params: { ...request.params, [name]: unknownOf(request.params![name]!) },
  });

  it('checks the key, then the tenant, then the permission, and counts none of these refusals', async () => {
    const others = (['HTTP_ASYNC_SEND', 'APP_VIEW'] as const).filter((permission) => permission !== route.access);
    const limited = await makeKeyWith(service, tenant, others);
    const elsewhere = tenantParameter ? at(tenantParameter) : request;
    const outcomeOf = async (client: Client, asked: RouteRequest) =>
      (await suite.send(client, route, asked, UNKNOWN_QUERY)).outcome;

    expect(await outcomeOf(suite.stranger, elsewhere)).toBe('401 API_KEY_MISSING');
    const more = Array.from({ length: LIMIT + 1 });
    const outcomesOf = async (asked: RouteRequest) =>
      new Set(await Promise.all(more.map(() => outcomeOf(limited.api, asked))));
    if (tenantParameter) {
      const notFound = tenantParameter === 'appId' ? '404 APP_NOT_FOUND' : '404 PROJECT_NOT_FOUND';
      expect(await outcomesOf(elsewhere)).toEqual(new Set([notFound]));
    }
    if (route.access !== 'anyKey') expect(await outcomesOf(request)).toEqual(new Set(['403 PERMISSION_DENIED']));
  });

  it('checks the request before it looks up resources, and does neither if requests come too fast', async () => {
    const named = resources[0] ? at(resources[0]) : request;
    // The test uses a key of its own, because the requests of the sample were counted for the other one.
    const { api } = await makeKey(service, tenant.appId, tenant.scopeName);
    const faulty = () => suite.send(api, route, named, UNKNOWN_QUERY);
    const answers = await Promise.all(Array.from({ length: LIMIT }, faulty));
    expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(['400 VALIDATION_ERROR']));

    const tooMany = () =>
      suite.send(api, route, request, {
        ...UNKNOWN_QUERY,
        ...(takesBody(route) && { rawBody: '{"not": json', headers: { 'content-type': 'text/plain' } }),
      });
    const { spec } = rateLimitErrors.exceeded;
    const refusal = `${statusIn(route.errorShape, spec, route.verb)} ${spec.code}`;
    // On a machine so busy that Redis answers too late, the process counts for itself meanwhile: at most as many again.
    let next = await tooMany();
    for (let more = 0; more < LIMIT && next.outcome !== refusal; more++) next = await tooMany();
    expect(next.outcome).toBe(refusal);
    expect(Number(next.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
