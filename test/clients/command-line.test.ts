import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Slipway } from '../../clients/typescript/src/index.js';
import { makeActiveAgent } from '../agents/make.js';
import { makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { tinyModel } from '../support/models/tiny-model.js';
import { startService } from '../support/service.js';
import { PROGRAM, ShellUser, valuesIn } from './command-line.js';

const service = await startService();
const tenant = await makeTenant(service);
await makeActiveAgent(service, tenant);
const env = { SLIPWAY_URL: service.url, SLIPWAY_API_KEY: tenant.key };
const user = new ShellUser(env);
const admin = new ShellUser({ ...env, SLIPWAY_ADMIN_KEY: service.adminKey });
const slipway = new Slipway({ url: service.url, apiKey: tenant.key, adminKey: service.adminKey });
const example = fileURLToPath(new URL('../../docs/examples/tool', import.meta.url));
afterAll(() => service.stop());

describe('login', () => {
  const file = (of: ShellUser) => join(of.home, '.config', 'slipway', 'credentials.json');

  it('keeps a key that the service accepts, in a file that only its owner can read', async () => {
    const newUser = new ShellUser();
    const { code, said } = await newUser.pipe(`${tenant.key}\n`, 'login', '--url', `${service.url}/`, '--key-stdin');
    expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining(file(newUser)) as string });
    expect(statSync(file(newUser)).mode & 0o777).toBe(0o600);
    expect(statSync(join(file(newUser), '..')).mode & 0o777).toBe(0o700);
    expect(valuesIn(await newUser.run('keys', '--json'))).toMatchObject([{ keyId: tenant.keyId }]);

    // The key of the login is for its address, and goes to no other one.
    const elsewhere = await newUser.run('keys', '--url', 'http://127.0.0.1:9');
    expect(elsewhere).toMatchObject({
      code: 2,
      noted: expect.stringContaining('No API key for http://127.0.0.1:9') as string,
    });

    const refused = await newUser.pipe('sw_wrong', 'login', '--url', service.url, '--key-stdin');
    expect(refused).toMatchObject({
      code: 1,
      noted: expect.stringContaining('(API_KEY_INVALID, request tr-') as string,
    });
    expect(readFileSync(file(newUser), 'utf8')).toContain(tenant.key);
    await newUser.run('logout');
    expect((await newUser.run('keys')).code).toBe(2);
  });

  it('asks nothing without a terminal, and says what to do', async () => {
    const { code, noted, said } = await new ShellUser().run('login', '--url', service.url);
    expect({ code, said }).toEqual({ code: 2, said: '' });
    expect(noted).toContain('There is no terminal to ask for the API key. Pipe the key');
  });
});

it('creates, lists, rotates and revokes keys', async () => {
  const created = valuesIn(await user.run('keys', 'create', 'shell', '--scope', tenant.scopeName, '--json'))[0]!;
  const listed = valuesIn(await admin.run('keys', '--json'));
  expect(listed.map(({ name }) => name)).toContain('shell');
  const rotated = await user.run('keys', 'rotate', String(created.key_id));
  expect(rotated.said).toMatch(/^sw_\S+\n$/);
  expect((await user.run('keys', 'revoke', String(created.key_id))).code).toBe(0);
  const own = await new ShellUser({ ...env, SLIPWAY_API_KEY: rotated.said.trim() }).run('keys', '--json');
  expect(own.code).toBe(1);
  expect(JSON.parse(own.noted)).toMatchObject({
    error: { code: 'API_KEY_INVALID', message: expect.any(String) as string, requestId: expect.any(String) as string },
  });
});

it('chats with a text, with what is piped, and refuses silence', async () => {
  const [text, piped] = await Promise.all([user.run('chat', 'Hello', 'there'), user.pipe('Hello\n', 'chat', '--json')]);
  expect(text).toMatchObject({ code: 0, said: expect.stringMatching(/\S+/) as string });
  const events = valuesIn(piped).map(({ event }) => event);
  expect([events[0], events.at(-1)]).toEqual(['run', 'done']);
  expect(await user.run('chat')).toMatchObject({
    code: 2,
    noted: expect.stringContaining('There is no message') as string,
  });
});

it('shows the ledger as a table with totals, as CSV and as JSON', async () => {
  await user.run('chat', 'Something that costs');
  const [shown, csv, json] = await Promise.all([
    user.run('ledger', '--model', 'mock', '--limit', '1'),
    user.run('ledger', '--csv'),
    user.run('ledger', '--json'),
  ]);
  const { calls, totals } = valuesIn(json)[0] as { calls: object[]; totals: { calls: number } };
  expect(totals.calls).toBe(calls.length);
  expect(shown.said).toMatch(/^TIME .+\n\S+ +mock .+\n\n\d+ calls, \d+ tokens, cost /);
  expect(csv.said.trim().split('\n')).toHaveLength(1 + calls.length);
  const fault = await user.run('ledger', '--from', 'yesterday');
  expect(fault).toMatchObject({ code: 2, noted: expect.stringContaining('--from takes a time') as string });
});

it('deploys the documents of a folder, and the next version of them', async () => {
  const first = valuesIn(await user.run('tools', 'deploy', example, '--json'))[0]!;
  const second = valuesIn(await user.run('tools', 'deploy', example, '--json'))[0]!;
  expect(second.toolId).toBe(first.toolId);
  expect(second.deployedVersionId).not.toBe(first.deployedVersionId);
  const run = await slipway.tools.execute(String(first.toolId), { input: { celsius: 0 } });
  expect(run.output).toMatchObject({ fahrenheit: 32 });
});

it('sends nothing of a folder in which a document is missing or is not JSON', async () => {
  const folder = join(user.home, 'half');
  mkdirSync(folder);
  writeFileSync(join(folder, 'tool.json'), '{"tool":{"name":"half"}}');
  expect((await user.run('tools', 'deploy', folder)).noted).toContain('has no flow.json, so nothing was sent');
  writeFileSync(join(folder, 'flow.json'), '{');
  const { code, noted } = await user.run('tools', 'deploy', folder, '--name', 'half');
  expect({ code, noted }).toEqual({ code: 2, noted: expect.stringContaining('flow.json is not JSON') as string });
  const names = [];
  for await (const { toolName } of slipway.tools.list()) names.push(toolName);
  expect(names).not.toContain('half');
});

it('imports a model, and shows the job of one that is broken', async () => {
  const [good, broken] = [join(user.home, 'tiny.gguf'), join(user.home, 'broken.gguf')];
  writeFileSync(good, tinyModel());
  writeFileSync(broken, tinyModel().subarray(0, 200));
  expect(valuesIn(await user.run('models', 'import', good, '--json'))).toMatchObject([{ state: 'READY_TO_DEPLOY' }]);
  const failed = await user.run('models', 'import', broken);
  expect(failed).toMatchObject({
    code: 1,
    noted: expect.stringMatching(/\(MODEL_FILE_TRUNCATED, job ds-\w+\)/) as string,
  });

  const [job] = valuesIn(await admin.run('jobs', '--status', 'FAILED', '--json'));
  const id = String(job!.dockStatusId);
  expect(JSON.parse((await user.run('models', 'import', broken, '--json')).noted)).toMatchObject({
    error: { code: 'MODEL_FILE_TRUNCATED', dockStatusId: expect.stringMatching(/^ds-/) as string },
  });
  expect((await user.run('jobs', id)).said).toContain('MODEL_FILE_TRUNCATED');
  expect((await user.run('jobs', id, '--follow')).code).toBe(1);
  expect((await user.run('models', 'import', '/nowhere')).noted).toContain('nothing was sent');
});

it('sends nothing if a folder is given in place of a model', async () => {
  const before = valuesIn(await user.run('models', '--json')).length;
  const folder = await user.run('models', 'import', user.home);
  expect(folder).toMatchObject({
    code: 2,
    noted: `${user.home} is a folder, so nothing was sent. Name the file in it.\n`,
  });
  expect(await user.run('models', 'import', '/dev/null')).toMatchObject({
    code: 2,
    noted: '/dev/null is not a file, so nothing was sent.\n',
  });
  expect(valuesIn(await user.run('models', '--json'))).toHaveLength(before);
});

it('continues no upload of a model file that has changed since', async () => {
  const model = join(user.home, 'changed.gguf');
  writeFileSync(model, tinyModel());
  expect(await user.run('models', 'import', model, '--resume', 'us-any@then')).toMatchObject({
    code: 2,
    noted: expect.stringContaining('changed.gguf has changed since this upload began') as string,
  });
});

it('refuses a key that no header can have, and does not show it', async () => {
  const key = 'sw_one\nsw_twö';
  const piped = await user.pipe(key, 'login', '--url', service.url, '--key-stdin');
  const set = await new ShellUser({ ...env, SLIPWAY_API_KEY: key }).run('keys');
  for (const { code, said, noted } of [piped, set]) {
    expect({ code, said }).toEqual({ code: 2, said: '' });
    expect(noted).toContain('The API key has a character that none can have');
    expect(noted).not.toContain('sw_');
  }
});

it.each(['localhost:3977', 'nowhere', 'ftp://127.0.0.1'])('says that %s is no address', async (url) => {
  expect(await user.run('keys', '--url', url)).toMatchObject({
    code: 2,
    noted: expect.stringContaining(`"${url}" is not an address such as http://127.0.0.1:3000.`) as string,
  });
});

it('lists the faults of a request', async () => {
  const create = ['keys', 'create', 'x'.repeat(300), '--scope', tenant.scopeName];
  const [shown, json] = [await user.run(...create), await user.run(...create, '--json')];
  expect({ code: shown.code, noted: shown.noted }).toEqual({
    code: 1,
    noted: expect.stringMatching(/\n {2}api_key_name: .+\n\(VALIDATION_ERROR, request /) as string,
  });
  const issues = [{ path: 'api_key_name' }];
  expect(JSON.parse(json.noted)).toMatchObject({
    error: { code: 'VALIDATION_ERROR', status: 400, requestId: expect.stringMatching(/^tr-/) as string, issues },
  });
});

it('receives callbacks, and tells genuine ones from others', async () => {
  const secret = `whsec_${Buffer.from('x'.repeat(32)).toString('base64')}`;
  const listening = user.start('', 'webhooks', 'listen', '--port', '0', '--secret', secret, '--count', '1', '--json');
  const [, url] = await eventually(() => /on (http:\S+)/.exec(listening.noted()), Boolean).then((found) => found!);
  expect((await fetch(url!, { method: 'POST', body: '{}' })).status).toBe(401);
  expect((await fetch(url!, { method: 'POST', body: 'x'.repeat(5 * 1024 * 1024) })).status).toBe(413);
  // A connection that breaks during the body ends nothing else.
  const broken = connect(Number(new URL(url!).port), '127.0.0.1');
  broken.write('POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 100\r\n\r\nhalf', () => broken.resetAndDestroy());
  await eventually(() => listening.said().includes('The connection was lost'));
  expect((await user.run('webhooks', 'listen', '--port', new URL(url!).port, '--secret', secret)).noted).toBe(
    `Another program uses the port ${new URL(url!).port}. Choose another one with --port.\n`,
  );

  const { Webhook } = await import('standardwebhooks');
  const [id, sentAt, body] = ['wm-1', new Date(), JSON.stringify({ message_id: 'wm-1', response: 'Hello' })];
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, sentAt, body),
    'webhook-event': 'agent.response',
  };
  expect((await fetch(url!, { method: 'POST', body, headers })).status).toBe(200);
  const ended = await listening.ended;
  expect(ended.code).toBe(0);
  expect(valuesIn(ended)).toMatchObject([
    { isGenuine: false, raw: '{}' },
    { isGenuine: false, reason: expect.stringContaining('The connection was lost before the callback') as string },
    { isGenuine: true, event: 'agent.response', id, body: { response: 'Hello' } },
  ]);
});

it('says what is wrong with a command, and which ones there are', async () => {
  expect(await user.run('sail')).toMatchObject({
    code: 2,
    noted: expect.stringContaining('no command sail') as string,
  });
  expect(await user.run('chat', '--loud')).toMatchObject({
    code: 2,
    noted: expect.stringContaining('slipway chat') as string,
  });
  const wrong = JSON.parse((await user.run('chat', '--loud', '--json')).noted) as object;
  expect(wrong).toMatchObject({ error: { code: 'USAGE', message: expect.stringContaining('--loud') as string } });
  expect((await user.run('help')).said).toContain('webhooks');
  const [{ commands }] = valuesIn(await user.run('help', '--json')) as [{ commands: { name: string }[] }];
  expect(commands.map(({ name }) => name)).toContain('webhooks');
  expect(valuesIn(await user.run('--json', 'help', 'tools'))).toMatchObject([{ name: 'tools' }]);
  expect(valuesIn(await user.run('tools', '--help', '--json'))).toMatchObject([{ name: 'tools' }]);
  const { version } = JSON.parse(readFileSync(join(PROGRAM, '../../../package.json'), 'utf8')) as { version: string };
  expect((await user.run('--version')).said).toBe(`${version}\n`);
  expect(valuesIn(await user.run('--version', '--json'))).toEqual([{ version }]);
  expect((await user.run('tools', '--help')).said).toContain('slipway tools deploy FOLDER');
  const away = new ShellUser({ SLIPWAY_URL: 'http://127.0.0.1:9', SLIPWAY_API_KEY: 'sw_any' });
  expect(await away.run('keys')).toMatchObject({
    code: 1,
    noted: expect.stringContaining('http://127.0.0.1:9 does not answer') as string,
  });
});
