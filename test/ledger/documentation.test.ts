import { EXAMPLE_TIME } from '../../src/kernel/schema.js';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { startService } from '../support/service.js';
import { ledgerPath, type Written } from './calls.js';

interface Operation {
  requestBody: { content: Record<string, { example: string }> };
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
}

const service = await startService();
const { paths } = (await new Client(service.url).get<Document>('/openapi.json')).body;
afterAll(() => service.stop());

const LEDGER = ledgerPath('{projectId}');

it('has an example of lines that are taken', async () => {
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
