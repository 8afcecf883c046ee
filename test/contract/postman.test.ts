import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { LEFT_OUT } from '../../scripts/postman/journey.mjs';
import { committedOpenApi } from '../support/committed-open-api.js';
import { OpenApiReader } from '../support/open-api.js';
import { startService } from '../support/service.js';

interface Collection {
  item: { name: string; item: { name: string; request: { method: string; url: { raw: string } } }[] }[];
}

interface Execution {
  item: { name: string; parent(): { name: string } };
  request: { method: string; url: { toString(): string } };
  response?: { code: number; text(): string };
  requestError?: Error;
  assertions?: { assertion: string; error?: Error }[];
}

interface Newman {
  run(
    options: { collection: object; envVar: { key: string; value: string }[]; timeoutRequest: number },
    done: (error: Error | null, summary: { run: { executions: Execution[]; failures: { error: Error }[] } }) => void,
  ): void;
}

const newman = createRequire(import.meta.url)('newman') as Newman;
const COLLECTION = new URL('../../docs/slipway.postman_collection.json', import.meta.url);

const service = await startService({ SLIPWAY_DEMO: '1' });
const collection = JSON.parse(readFileSync(COLLECTION, 'utf8')) as Collection;
afterAll(() => service.stop());

it('has every operation except those that no collection can make succeed', () => {
  const sent = collection.item.flatMap(({ item }) => item.map(({ request }) => nameIn(request)));
  const documented = new OpenApiReader(committedOpenApi()).names().filter((name) => !(name in LEFT_OUT));
  expect([...new Set(sent)].sort()).toEqual(documented.map(withoutNames).sort());
});

it('is answered 2xx top to bottom with the keys of the demo, each folder twice', async () => {
  // The second run shows that the rows of the first do not disturb it.
  for (const round of ['the first time', 'the second time']) {
    const { executions, failures } = await run();
    const red = executions.filter(isRed).map((execution) => `${round}: ${described(execution)}`);
    expect(red).toEqual([]);
    expect(failures.map(({ error }) => error.message)).toEqual([]);
    const requests = collection.item.flatMap((folder) => folder.item.map(({ name }) => `${folder.name}: ${name}`));
    expect(executions.map(({ item }) => `${item.parent().name}: ${item.name}`)).toEqual(requests);
  }
});

function run(): Promise<{ executions: Execution[]; failures: { error: Error }[] }> {
  const { apiKey } = JSON.parse(readFileSync(join(service.settings.DATA_DIR!, 'demo.json'), 'utf8')) as {
    apiKey: string;
  };
  const variables = { baseUrl: service.url, apiKey, adminKey: service.adminKey };
  const envVar = Object.entries(variables).map(([key, value]) => ({ key, value }));
  return new Promise((resolve, reject) => {
    newman.run({ collection, envVar, timeoutRequest: 30_000 }, (error, summary) =>
      error ? reject(error) : resolve(summary.run),
    );
  });
}

const isRed = ({ requestError, assertions = [] }: Execution) =>
  requestError !== undefined || assertions.length === 0 || assertions.some(({ error }) => error !== undefined);

function described({ item, request, response, requestError, assertions = [] }: Execution): string {
  const why = requestError?.message ?? `${response?.code} ${response?.text().slice(0, 500)}`;
  const failed = assertions.flatMap(({ error }) => error?.message ?? []);
  return [`${item.parent().name}: ${request.method} ${request.url.toString()}`, why, ...failed].join(' ');
}

/** Names a request without the names of its variables, such as `GET /files/{}`. */
function nameIn({ method, url }: Collection['item'][number]['item'][number]['request']): string {
  const path = url.raw.replace('{{baseUrl}}', '').split('?', 1)[0]!;
  return `${method} ${path.replace(/\{\{\w+\}\}/g, '{}')}`;
}

function withoutNames(name: string): string {
  return name.replace(/\{\w+\}/g, '{}');
}
