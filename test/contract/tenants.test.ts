import { checkedRoutes } from '../support/contract/check.js';
import { permissionChecks } from '../support/contract/permission-checks.js';
import { tenantChecks } from '../support/contract/tenant-checks.js';
import { RouteSuite } from '../support/route-suite.js';
import { startService } from '../support/service.js';
import { checkRoutes } from './check-routes.js';

const service = await startService({ API_KEYS_PER_SCOPE: '1000' });
const suite = await RouteSuite.of(service);
afterAll(() => service.stop());

checkRoutes(await checkedRoutes(suite), tenantChecks, permissionChecks);
