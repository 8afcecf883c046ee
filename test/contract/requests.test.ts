import type { IndexedRoute } from '../../src/platform/route/route-index.js';
import { bodyChecks } from '../support/contract/body-checks.js';
import { checkedRoutes } from '../support/contract/check.js';
import { requestChecks } from '../support/contract/request-checks.js';
import { RouteSuite } from '../support/route-suite.js';
import { startService } from '../support/service.js';
import { checkRoutes } from './check-routes.js';

const service = await startService({ API_KEYS_PER_SCOPE: '1000' });
const suite = await RouteSuite.of(service);
afterAll(() => service.stop());

/** Clients of other services call these routes. */
const ignoresMembers = ({ path }: IndexedRoute) =>
  /\/(mcp|otel\/v1\/traces|chat\/completions|hooks\/\{botId\})$/.test(path);
/** Identity providers redirect users to these routes, to which they may add parameters of their own. */
const ignoresParameters = ({ path }: IndexedRoute) => /\/(idp|\{identity\})\/callback$/.test(path);

checkRoutes(await checkedRoutes(suite, { ignoresMembers, ignoresParameters }), requestChecks, bodyChecks);
