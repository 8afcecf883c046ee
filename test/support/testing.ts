/** Everything that tests of plugins may use of Slipway. Everything else may change in any release. */
import '../../src/platform/config/required-node.js';

export { startWithPlugins } from './with-plugins.js';
export type { Service, Target } from './service.js';
export type { SettingsOfTest } from './settings.js';
export type { OpenTransaction, TestDatabase } from './test-database.js';

export {
  administratorOf,
  type Granted,
  type Key,
  makeApp,
  makeKey,
  makeKeyWith,
  makeProject,
  makeScope,
  makeTenant,
  revoke,
  type Scope,
  type Tenant,
} from './actors.js';
export { type Answer, Client, faultsAt, type Form, type Issue, type Refused, type RequestOptions } from './client.js';
export type { Check } from './contract/check.js';
export { routeContract, type RouteContractOptions } from './contract/route-contract.js';
export { eventually } from './eventually.js';
export type { Refusals, RouteRequest, Samples, World } from './route-request.js';
