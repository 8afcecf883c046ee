import type { IndexedRoute } from '../../src/platform/route/route-index.js';
import { DocumentedAnswers } from '../support/documented-answers.js';
import { OpenApiReader, type OpenApi } from '../support/open-api.js';
import { nameOf, RouteSuite } from '../support/route-suite.js';
import type { World } from '../support/samples.js';
import { startService } from '../support/service.js';
import { examplesIn } from './examples/examples-in.js';
import { printedRequests } from './examples/printed-requests.js';
import { asReal, MADE_FIRST } from './examples/real-values.js';

const service = await startService();
const suite = await RouteSuite.of(service);
const response = await suite.stranger.get<OpenApi>('/openapi.json');
const reader = new OpenApiReader(response.body);
const documented = new DocumentedAnswers(response.body);
afterAll(() => service.stop());

describe.each(suite.where(() => true))('%s', (name, route) => {
  const operation = reader.operation(name);

  it('answers each request of the document with a documented success', async () => {
    const printed = printedRequests(reader, operation);
    const outcomes = [];
    for (const request of printed) {
      const world = { service, tenant: await suite.tenant() };
      const real = asReal(request, await sampleOf(route, world, request.body));
      outcomes.push((await suite.send(suite.callerOf(route, world.tenant), route, real)).outcome);
    }
    const successes = Object.keys(operation.responses).filter((status) => /^2\d\d$/.test(status));
    expect(printed.length).toBeGreaterThan(0);
    expect(outcomes.filter((outcome) => !successes.includes(outcome))).toEqual([]);
  });
});

it('has examples that match their schemas, without further members', () => {
  const examples = examplesIn(reader);
  expect(examples.length).toBeGreaterThan(500);
  const faults = examples.map(({ at, schema, value }) => [at, documented.mismatch(schema, value)] as const);
  expect(faults.flatMap(([at, fault]) => (fault === undefined ? [] : [`${at}: ${fault}`]))).toEqual([]);
});

/** Returns a request to existing rows: the sample of the route, or one that is prepared for the printed body. */
async function sampleOf(route: IndexedRoute, world: World, body: unknown) {
  const sample = await suite.sample(route, world.tenant);
  return { ...sample, ...(await MADE_FIRST[nameOf(route)]?.(world, body)) };
}
