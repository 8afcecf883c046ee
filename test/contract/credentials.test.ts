import { checkedRoutes } from '../support/contract/check.js';
import { credentialChecks } from '../support/contract/credential-checks.js';
import { RouteSuite } from '../support/route-suite.js';
import { startService } from '../support/service.js';
import { checkRoutes } from './check-routes.js';

const service = await startService({ API_KEYS_PER_SCOPE: '1000' });
const suite = await RouteSuite.of(service);
afterAll(() => service.stop());

checkRoutes(await checkedRoutes(suite), credentialChecks);
