import { ADMIN_ROLES, hasRight, roleInInstallation } from '../../src/kernel/roles.js';
import { permittedRoles, placeOfRight, SIGN_OUT } from '../access/permitted-roles.js';
import { checkedRoutes, type RouteUnderTest } from '../support/contract/check.js';
import { roleChecks } from '../support/contract/role-checks.js';
import { isAdministration, nameOf, RouteSuite } from '../support/route-suite.js';
import { startService } from '../support/service.js';
import { checkRoutes } from './check-routes.js';

const service = await startService();
const suite = await RouteSuite.of(service);
afterAll(() => service.stop());

it.each(suite.where(isAdministration))('%s is for the roles that the documents list, where they say', (name, route) => {
  const roles = ADMIN_ROLES.filter((role) => hasRight(roleInInstallation(role), route.right));
  expect(roles.toSorted()).toEqual(permittedRoles(name).toSorted());
  expect(route.rightIn).toBe(placeOfRight(name));
});

/** Every administrator signs out the own browsers, and the sample of this route is the browser of another one. */
checkRoutes(await checkedRoutes(suite), (tested: RouteUnderTest) =>
  nameOf(tested.route) === SIGN_OUT ? [] : roleChecks(tested),
);
