import { ADMIN_ROLES, hasRight, roleInInstallation } from '../../src/kernel/roles.js';
import { placeOfRight, permittedRoles, SIGN_OUT } from '../access/permitted-roles.js';
import { roleChecks } from '../support/contract/role-checks.js';
import { isAdministration, nameOf, RouteSuite } from '../support/route-suite.js';
import { startService } from '../support/service.js';

const service = await startService();
const suite = await RouteSuite.of(service);
const [tenant, stranger] = [await suite.tenant(), await suite.tenant()];
afterAll(() => service.stop());

describe.each(suite.where(isAdministration))('%s', (name, route) => {
  it('is for the roles that the documents list, in the place that they list', () => {
    const roles = ADMIN_ROLES.filter((role) => hasRight(roleInInstallation(role), route.right));
    expect(roles.toSorted()).toEqual(permittedRoles(name).toSorted());
    expect(route.rightIn).toBe(placeOfRight(name));
  });
});

/** Every administrator signs out the own browsers, and the sample of this route is the browser of another one. */
describe.each(suite.where((route) => isAdministration(route) && nameOf(route) !== SIGN_OUT))('%s', (_, route) => {
  for (const { name, run } of roleChecks({ route, routes: suite, tenant, stranger })) it(name, run);
});
