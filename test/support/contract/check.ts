import assert from 'node:assert/strict';
import type { IndexedRoute } from '../../../src/platform/route/route-index.js';
import type { Tenant } from '../actors.js';
import type { Answer, Refused } from '../client.js';
import type { RouteRequest } from '../route-request.js';
import type { SampledRoutes } from '../sampled-routes.js';
import { RefusedKeys } from './refused-keys.js';

/** A test, for any runner: `for (const { name, run } of checks) it(name, run)`. */
export interface Check {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** The parts that the checks of all routes share. The two tenants do not know each other. */
export interface CheckedRoutes {
  readonly routes: SampledRoutes;
  readonly tenant: Tenant;
  readonly stranger: Tenant;
  readonly refusedKeys: RefusedKeys;
  /** Whether a route ignores members of its body that it does not know, as clients of other services expect. */
  readonly ignoresMembers: (route: IndexedRoute) => boolean;
  /** Whether a route ignores query parameters that it does not know, as identity providers expect. */
  readonly ignoresParameters: (route: IndexedRoute) => boolean;
}

export interface RouteUnderTest extends CheckedRoutes {
  readonly route: IndexedRoute;
}

type Ignoring = Partial<Pick<CheckedRoutes, 'ignoresMembers' | 'ignoresParameters'>>;

export async function checkedRoutes(routes: SampledRoutes, ignoring: Ignoring = {}): Promise<CheckedRoutes> {
  const [tenant, stranger] = [await routes.tenant(), await routes.tenant()];
  const refusedKeys = new RefusedKeys(routes.service, tenant);
  const none = { ignoresMembers: () => false, ignoresParameters: () => false };
  return { routes, tenant, stranger, refusedKeys, ...none, ...ignoring };
}

export function assertOutcome(answer: Answer, outcome: string): void {
  assert.equal(answer.outcome, outcome, `It answered ${answer.outcome} instead of ${outcome}: ${answer.text}`);
}

export function assertFaults(answer: Answer, ...paths: string[]): void {
  assertOutcome(answer, '400 VALIDATION_ERROR');
  assert.deepEqual(answer.faults, paths);
}

export function assertIssue(answer: Answer, path: string | RegExp, message: string): void {
  assertOutcome(answer, '400 VALIDATION_ERROR');
  const isAt = (found: string) => (typeof path === 'string' ? found === path : path.test(found));
  const isNamed = answer.issues.some((issue) => isAt(issue.path) && issue.message === message);
  assert.ok(isNamed, `It does not say that ${String(path)} ${message}: ${answer.text}`);
}

export const withParameter = (request: RouteRequest, name: string, value: string): RouteRequest => ({
  ...request,
  params: { ...request.params, [name]: value },
});

/** Returns what two refusals of the same kind have in common. */
export const sayTheSame = ({ status, body }: Answer) => ({ status, ...(body as Refused), meta: undefined });
