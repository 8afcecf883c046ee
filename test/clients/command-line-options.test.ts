import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Slipway } from '../../clients/typescript/src/index.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { ShellUser, valuesIn } from './command-line.js';

const service = await startService();
const tenant = await makeTenant(service);
const env = { SLIPWAY_URL: service.url, SLIPWAY_API_KEY: tenant.key };
const user = new ShellUser(env);
const slipway = new Slipway({ url: service.url, apiKey: tenant.key });
afterAll(() => service.stop());

it.each([
  ['ledger', '--csv', '--json'],
  ['ledger', '--csv', '--limit', '3'],
  ['models', '--name', 'a'],
  ['models', 'import', 'a.gguf', 'b.gguf'],
  ['tools', '--url', 'http://127.0.0.1:9', '--deploy'],
  ['keys', '--scope', 'a'],
  ['keys', 'create', 'a', '--scope', 'a', '--grace', '3'],
  ['keys', 'create', 'a', '--admin-key', 'sw_any'],
  ['jobs', 'ds-any', '--limit', '3'],
  ['jobs', '--follow'],
  ['logout', '--url', 'http://127.0.0.1:9'],
  ['webhooks', 'listen', '--url', 'http://127.0.0.1:9'],
  ['--url', 'http://127.0.0.1:9', 'keys'],
])('refuses by name what it would not use: slipway %s %s %s', async (...args) => {
  const { code, said, noted } = await new ShellUser().run(...args);
  expect({ code, said }).toEqual({ code: 2, said: '' });
  const names = args.filter((word) => word.startsWith('--') || word === 'b.gguf');
  expect(names.some((name) => noted.split('\n')[0]!.includes(name))).toBe(true);
});

describe('an administration key', () => {
  const missing = 'This needs an administration key. Give it with --admin-key, set SLIPWAY_ADMIN_KEY, or keep it with ';

  it('is an option, a variable, or part of the login', async () => {
    expect(await user.run('jobs')).toMatchObject({ code: 2, noted: expect.stringContaining(missing) as string });
    expect((await user.run('jobs', '--admin-key', service.adminKey)).code).toBe(0);
    const listed = valuesIn(await user.run('keys', '--admin-key', service.adminKey, '--json'));
    expect(listed.map(({ keyId }) => keyId)).toContain(tenant.keyId);

    const signedIn = new ShellUser();
    expect(await signedIn.pipe(service.adminKey, 'login', '--admin', '--key-stdin')).toMatchObject({
      code: 2,
      noted: expect.stringContaining('Run slipway login first') as string,
    });
    await signedIn.pipe(tenant.key, 'login', '--url', service.url, '--key-stdin');
    expect((await signedIn.pipe('swa_wrong', 'login', '--admin', '--key-stdin')).code).toBe(1);
    expect((await signedIn.run('jobs')).code).toBe(2);
    const kept = await signedIn.pipe(service.adminKey, 'login', '--admin', '--key-stdin');
    expect(kept).toMatchObject({ code: 0, said: expect.stringContaining('administration key') as string });
    expect((await signedIn.run('jobs')).code).toBe(0);
    expect((await signedIn.run('jobs', '--url', 'http://127.0.0.1:9')).code).toBe(2);
  });
});

describe('tools import', () => {
  const document = {
    openapi: '3.0.3',
    info: { title: 'Orders', version: '1' },
    servers: [{ url: 'https://orders.example.com' }],
    security: [{ key: [] }],
    paths: {
      '/orders': { get: { operationId: 'listOrders', responses: {} } },
      '/orders/{id}': {
        get: { parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }], responses: {} },
      },
      '/stock': { get: { operationId: 'readStock', responses: {} } },
    },
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-key' } } },
  };
  const file = join(user.home, 'orders.json');
  writeFileSync(file, JSON.stringify(document));

  it('imports and deploys the chosen operations of an OpenAPI document, with a sealed secret', async () => {
    const shopper = new ShellUser({ ...env, KEY: 'the secret of the shop' });
    const chosen = ['--operation', 'listOrders', '--operation', 'GET /orders/{id}', '--server-url', service.url];
    const [imported] = valuesIn(
      await shopper.run('tools', 'import', file, ...chosen, '--secret', 'KEY', '--deploy', '--json'),
    );
    const { tools } = imported as { tools: { toolId: string; operation: string; status: string }[] };
    expect(tools.map(({ operation, status }) => [operation, status])).toEqual([
      ['listOrders', 'DEPLOYED'],
      [expect.stringContaining('/orders/{id}'), 'DEPLOYED'],
    ]);
    const run = await slipway.tools.execute(tools[0]!.toolId, { input: {} });
    expect(JSON.stringify(run)).not.toContain('the secret of the shop');

    const again = await user.run('tools', 'import', file, '--into', tools[0]!.toolId, '--operation', 'listOrders');
    expect(again.said).toContain(tools[0]!.toolId);
  });

  it.each([
    [['--secret', 'MISSING'], 'The environment variable MISSING has no value'],
    [['--secret', 'KEY=shown'], '--secret takes a name alone'],
  ])('sends nothing with %s', async (options, sentence) => {
    const { code, noted } = await user.run('tools', 'import', file, ...options);
    expect({ code, noted }).toEqual({ code: 2, noted: expect.stringContaining(sentence) as string });
  });
});
