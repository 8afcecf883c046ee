import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { welcome } from '../../scripts/launcher/welcome.mjs';
import { makeActiveAgent } from '../agents/make.js';
import { makeKey, makeScope, makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { subscribe } from '../webhooks/subscribe.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const JOURNEY = README.slice(README.indexOf('## A first journey'), README.indexOf('## Where to read on'));
const blocks = [...JOURNEY.matchAll(/```sh\n(.+?)```/gs)].map(([, block]) => block!);

const service = await startService();
afterAll(() => service.stop());

/** Finds a free port, which stands for the port 3001 of the README. */
async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Makes the reader's working folder: the scripts, and a demo as the first start makes it. */
async function folderOfReader(receiverPort: number): Promise<string> {
  const tenant = await makeTenant(service);
  await makeScope(service, tenant.appId, { name: 'demo' });
  const { key } = await makeKey(service, tenant.appId, 'demo');
  await makeActiveAgent(service, tenant, { welcomeMessage: 'Hello! I am the demo agent.' });
  const { subscriptionId, secret } = await subscribe(service, tenant, {
    callbackUrl: `http://127.0.0.1:${receiverPort}/`,
    events: ['agent.response', 'agent.status'],
    appId: tenant.appId,
  });
  const folder = mkdtempSync(join(process.env.TEST_FOLDER!, 'reader-'));
  symlinkSync(join(ROOT, 'scripts'), join(folder, 'scripts'));
  mkdirSync(join(folder, '.data'));
  const { projectId, appId } = tenant;
  const demo = { projectId, appId, scopeName: 'demo', apiKey: key, subscriptionId, webhookSecret: secret };
  writeFileSync(join(folder, '.data', 'demo.json'), JSON.stringify(demo));
  return folder;
}

/** Runs lines of the README in a shell, and resolves to what it prints. */
function run(shell: string, args: string[], cwd: string, script: string): Promise<string> {
  const { PATH, HOME } = process.env;
  const options = { cwd, env: { PATH, HOME, DATA_DIR: join(cwd, '.data') } };
  return new Promise((resolve, reject) => {
    execFile(shell, [...args, '-c', script], options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
      else resolve(stdout);
    });
  });
}

it('has lines that can be pasted: no comment, which an interactive shell may take for a command', () => {
  expect(blocks.length).toBeGreaterThan(4);
  for (const block of blocks) expect(block).not.toMatch(/(^|\s)#/);
});

/** A shell that is missing on this machine is left out. CI has both. */
it.each([
  ['bash', ['--norc']],
  ['zsh', ['-f']],
])('goes the whole way in %s, and waits for the reply', async (shell, args) => {
  const isThere = await run(shell, args, ROOT, ':').then(
    () => true,
    () => false,
  );
  if (!isThere && shell === 'zsh') return;
  const port = await freePort();
  const folder = await folderOfReader(port);
  const script = blocks
    .join('\n')
    .replace('http://127.0.0.1:3000', service.url)
    .replace('receive-callbacks.mjs', `receive-callbacks.mjs --port ${port}`);
  const lines = (await run(shell, args, folder, script)).split('\n');
  const answers = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as object);
  expect(answers).toMatchObject([
    { output: [{ content: 'Hello! I am the demo agent.' }] },
    { status: 'completed', output: [{ content: '[mock] You said: Is anybody there?' }] },
    { total: 1, generations: [{ model: 'mock', status: 'success' }] },
    { status: 'accepted' },
    { status: 'terminated' },
    { success: true, revoked: { status: 'revoked' } },
    { success: false, error: { code: 'API_KEY_INVALID' } },
  ]);
  expect(lines.filter((line) => line.includes('agent.response  '))).toEqual([
    expect.stringContaining('[mock] You said: Hello') as string,
  ]);
});

describe('what npm start prints', () => {
  const print = (dataDir: string, isOnTerminal: boolean, hasConsole = true) =>
    welcome({ url: service.url, dataDir, hasConsole, isOnTerminal, hasDemo: true, hasOwnSecrets: true });

  it.each([false, true])('begins with a conversation that goes on, on a terminal or not: %s', async (isOnTerminal) => {
    const folder = await folderOfReader(await freePort());
    const dataDir = join(folder, '.data');
    const [talk = '', makeKey = ''] = print(dataDir, isOnTerminal)
      .split('\n')
      .filter((line) => line.startsWith('curl'));
    const printed = await run('bash', ['--norc'], folder, [talk, talk, makeKey, ''].join('\n'));
    // Each answer is printed on a line of its own.
    const [first, second, made] = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { session: { sessionId: string } });
    expect(first).toMatchObject({ status: 'completed', output: [{ content: '[mock] You said: Hello' }] });
    expect(second!.session.sessionId).toBe(first!.session.sessionId);
    expect(made).toMatchObject({ success: true, api_key: { key_name: 'my-first-key' } });
  });

  it('has no key where it is no terminal that reads it', async () => {
    const folder = await folderOfReader(await freePort());
    expect(print(join(folder, '.data'), false)).not.toMatch(/sw_\w/);
  });

  it('has the address of the console only if the console is there', () => {
    expect(print('none', true)).toContain(`${service.url}/console`);
    expect(print('none', true, false)).not.toContain('/console');
  });
});
