import assert from 'node:assert/strict';
import type { IndexedRoute } from '../../../src/platform/route/route-index.js';
import type { Tenant } from '../actors.js';
import type { Answer, Refused } from '../client.js';
import type { RouteRequest } from '../route-request.js';
import type { SampledRoutes } from '../sampled-routes.js';

/** A test, for any runner: `for (const { name, run } of checks) it(name, run)`. */
export interface Check {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** A route with the routes beside it, and two tenants that do not know each other. */
export interface RouteUnderTest {
  readonly route: IndexedRoute;
  readonly routes: SampledRoutes;
  readonly tenant: Tenant;
  readonly stranger: Tenant;
}

export function assertOutcome(answer: Answer, outcome: string): void {
  assert.equal(answer.outcome, outcome, `It answered ${answer.outcome} instead of ${outcome}: ${answer.text}`);
}

export function assertFaults(answer: Answer, ...paths: string[]): void {
  assertOutcome(answer, '400 VALIDATION_ERROR');
  assert.deepEqual(answer.faults, paths);
}

export const withParameter = (request: RouteRequest, name: string, value: string): RouteRequest => ({
  ...request,
  params: { ...request.params, [name]: value },
});

/** Returns what two refusals of the same kind have in common. */
export const sayTheSame = ({ status, body }: Answer) => ({ status, ...(body as Refused), meta: undefined });
