import assert from 'node:assert/strict';
import type { IndexedRoute } from '../../../src/platform/route/route-index.js';
import type { Tenant } from '../actors.js';
import type { Answer } from '../client.js';
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
