import type { IndexedRoute } from '../../src/platform/route/route-index.js';
import { errorsOf } from '../../src/platform/openapi/route-documentation.js';
import type { AdminRole } from '../../src/kernel/roles.js';
import { administratorOf, makeTenant, type Tenant } from './actors.js';
import { administratorWith } from './admin-keys.js';
import { type Answer, Client, type RequestOptions } from './client.js';
import type { RouteRequest, Samples } from './route-request.js';
import type { Service } from './service.js';

export const isOpen = ({ access }: IndexedRoute) => access === 'public';
export const isAdministration = ({ access }: IndexedRoute) => access === 'administration';
/** Routes that need a client's token, which their samples bring. */
export const isClients = ({ access }: IndexedRoute) => access === 'jwtClient';
/** Routes that need a project's key. */
export const isProjects = (route: IndexedRoute) => !isOpen(route) && !isAdministration(route) && !isClients(route);
/** Routes that may have a body. The others ignore theirs. */
export const takesBody = ({ verb }: IndexedRoute) => !['GET', 'HEAD', 'OPTIONS', 'DELETE'].includes(verb);
/** Routes to which a client can send a body, even where it is ignored. */
export const canHaveBody = ({ verb }: IndexedRoute) => verb !== 'GET' && verb !== 'HEAD';
/** Routes whose body may be JSON, or may be left out. */
export const takesJson = (route: IndexedRoute) =>
  takesBody(route) && route.streamedBody === null && route.bodies.some((format) => format.matches('application/json'));

export const nameOf = ({ verb, path }: IndexedRoute) => `${verb} ${path}` as keyof Samples;
export const parametersOf = ({ path }: IndexedRoute) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/** Routes with a request that succeeds, which tests change until it is refused. */
export class SampledRoutes {
  private readonly kept = new Map<string, Promise<RouteRequest>>();
  private readonly administrators = new Map<string, Promise<Client>>();

  constructor(
    readonly service: Service,
    readonly routes: IndexedRoute[],
    readonly samples: Samples,
  ) {}

  /** Returns the wanted routes for `describe.each` and `it.each`. */
  where(isWanted: (route: IndexedRoute) => boolean): [name: string, route: IndexedRoute][] {
    return this.routes.filter(isWanted).map((route) => [nameOf(route), route]);
  }

  tenant(): Promise<Tenant> {
    return makeTenant(this.service);
  }

  async sample(route: IndexedRoute, tenant: Tenant): Promise<RouteRequest> {
    const sample = this.samples[nameOf(route)];
    if (!sample) throw new Error(`${nameOf(route)} has no sample`);
    return sample({ service: this.service, tenant });
  }

  /**
   * Returns the same sample each time, for tests whose changed requests are refused, so that the rows in it stay as
   * they are.
   */
  keptSample(route: IndexedRoute, tenant: Tenant): Promise<RouteRequest> {
    const name = `${nameOf(route)} ${tenant.projectId}`;
    if (!this.kept.has(name)) this.kept.set(name, this.sample(route, tenant));
    return this.kept.get(name)!;
  }

  /** Returns the same administrator each time, because making one takes longer than most requests. */
  keptAdministrator(role: AdminRole, projectId?: string): Promise<Client> {
    const name = `${role} ${projectId}`;
    if (!this.administrators.has(name)) this.administrators.set(name, administratorWith(this.service, role, projectId));
    return this.administrators.get(name)!;
  }

  /** Returns a client that may use the route. */
  callerOf(route: IndexedRoute, tenant: Tenant): Client {
    if (isAdministration(route)) return administratorOf(this.service);
    return isOpen(route) || isClients(route) ? this.stranger : tenant.api;
  }

  get stranger(): Client {
    return new Client(this.service.url);
  }

  /** Sends the request; `more` replaces parts of it. */
  async send(client: Client, route: IndexedRoute, request: RouteRequest, more: RequestOptions = {}): Promise<Answer> {
    const { body, query, form, rawBody, processUrl } = request;
    const caller = processUrl === undefined ? client : new Client(processUrl);
    const headers = { ...request.headers, ...more.headers };
    const ofBody = {
      ...(body !== undefined && { body }),
      ...(form && { form }),
      ...(rawBody !== undefined && { rawBody }),
    };
    const parts = { ...(query && { query }), ...ofBody };
    const options = { ...parts, ...more, headers };
    const answer = await caller.send(route.verb, pathOf(route, request), options);
    if (answer.status >= 400) expectDeclared(route, answer);
    return answer;
  }
}

export function pathOf({ path }: IndexedRoute, { params = {} }: RouteRequest): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`The sample of ${path} lacks the parameter ${name}`);
    return encodeURIComponent(value);
  });
}

/** Makes sure that the route's documentation has the code of its answer. */
function expectDeclared(route: IndexedRoute, { outcome }: Answer): void {
  const [, code = ''] = outcome.split(' ');
  const declared = errorsOf(route).map(({ spec }) => spec.code);
  if (!declared.includes(code)) throw new Error(`${nameOf(route)} answered ${code}, which it does not declare`);
}
