import { Client } from '../support/client.js';
import { startService } from '../support/service.js';

const service = await startService({ CONSOLE: 'off' });
afterAll(() => service.stop());

it.each([
  '/console',
  '/console/apps/x/ledger',
  '/console/assets/index.js',
  '/queues/',
  '/queues/api/queues',
  '/queues/static/favicon.svg',
])('answers 404 at %s', async (path) => {
  expect((await new Client(service.url).get(path)).outcome).toBe('404 ROUTE_NOT_FOUND');
});

it('answers everything else', async () => {
  expect((await new Client(service.url).get('/health/ready')).status).toBe(200);
});
