import type { CheckedRoutes, Check, RouteUnderTest } from '../support/contract/check.js';

/** Makes a test of each check, for each route of Slipway. Plugins have the same tests of their routes. */
export function checkRoutes(checked: CheckedRoutes, ...checks: ((tested: RouteUnderTest) => Check[])[]): void {
  describe.each(checked.routes.where(() => true))('%s', (_, route) => {
    for (const checksOf of checks) for (const { name, run } of checksOf({ ...checked, route })) it(name, run);
  });
}
