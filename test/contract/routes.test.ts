import { answerChecks } from '../support/contract/answer-checks.js';
import { checkedRoutes } from '../support/contract/check.js';
import { nameOf, RouteSuite } from '../support/route-suite.js';
import { startService } from '../support/service.js';
import { checkRoutes } from './check-routes.js';

/** With only one connection, a use case that asks on another one within its transaction would wait forever. */
const service = await startService({ DATABASE_POOL: '1' });
const suite = await RouteSuite.of(service);
afterAll(() => service.stop());

it('has one sample for every route, and no sample without a route', () => {
  expect(Object.keys(suite.samples).sort()).toEqual(suite.routes.map(nameOf).sort());
});

it('has no two routes on one path and no two operations of one name', () => {
  const paths = suite.routes.map(({ verb, path }) => `${verb} ${path.replace(/\{\w+\}/g, '{}')}`);
  expect(new Set(paths).size).toBe(paths.length);
  const operations = suite.routes.map(({ controller, method }) => `${controller.constructor.name}.${method}`);
  expect(new Set(operations).size).toBe(operations.length);
});

checkRoutes(await checkedRoutes(suite), answerChecks);
