import { EXAMPLE_TIME } from '../../src/kernel/schema.js';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { startService } from '../support/service.js';
import { aCall, ledgerPath, read, type Written, written } from './calls.js';

interface Operation {
  parameters: { name: string; in: string; schema: { example?: string } }[];
  requestBody: { content: Record<string, { example: string }> };
  responses: Record<string, { content: object }>;
}

interface Schema {
  properties: Record<string, Schema>;
  anyOf: Schema[];
  items: Schema;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const service = await startService();
const { paths, components } = (await new Client(service.url).get<Document>('/openapi.json')).body;
afterAll(() => service.stop());

const LEDGER = ledgerPath('{projectId}');

describe.each(['', '/summary', '/latency', '/export.csv', '/export.ndjson'])(
  'the documentation of GET …/llm-ledger%s',
  (end) => {
    const { parameters, responses } = paths[LEDGER + end]!.get!;

    it('has examples of parameters that the route answers with the documented content type', async () => {
      const { api, projectId } = await makeTenant(service);
      const examples = parameters.filter((each) => each.in === 'query' && each.schema.example !== undefined);
      expect(examples.map(({ name }) => name)).toEqual(['fromDate', 'toDate']);
      const query = Object.fromEntries(examples.map(({ name, schema }) => [name, schema.example!]));
      const { outcome, headers } = await api.get(ledgerPath(projectId) + end, { query });
      expect(outcome).toBe('200');
      expect(Object.keys(responses[200]!.content)).toEqual([headers.get('content-type')!.split(';')[0]]);
    });
  },
);

it('the documented example of lines is accepted', async () => {
  const { api, projectId } = await makeTenant(service);
  const type = 'application/x-ndjson';
  const { example } = paths[LEDGER]!.post!.requestBody.content[type]!;
  const rawBody = example.replaceAll(EXAMPLE_TIME, new Date().toISOString());
  const answer = await api.post<Written>(ledgerPath(projectId), undefined, {
    rawBody,
    headers: { 'content-type': type },
  });
  expect(answer).toMatchObject({ outcome: '201', body: { accepted: 1 } });
});

it('the document has every member of the request in a payload', async () => {
  const tenant = await makeTenant(service);
  await written(
    tenant,
    aCall({ payload: { request: { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] } } }),
  );
  const [call] = (await read(tenant, { dataMode: 'full' })).body.generations;
  const { request } = call!.payload as { request: { messages: object[] } };

  const [documented] = components.schemas.LlmCall!.properties.payload!.properties.request!.anyOf;
  const { messages } = documented!.properties;
  expect(Object.keys(documented!.properties)).toEqual(Object.keys(request));
  expect(Object.keys(messages!.items.properties)).toEqual(Object.keys(request.messages[0]!));
});
