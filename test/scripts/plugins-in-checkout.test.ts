import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { settingsFor } from '../support/settings.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));
const CONFIG = 'greetings.plugin.mjs';
const { PATH, HOME } = process.env;
/** npm says in INIT_CWD where the command was given. */
const environment = { PATH, HOME, INIT_CWD: HERE };

it.each<[way: string, args: string[], env: Record<string, string>]>([
  ['--config', ['--config', CONFIG], {}],
  ['SLIPWAY_CONFIG', [], { SLIPWAY_CONFIG: CONFIG }],
])('starts the service with the plugins that %s names', async (_, args, env) => {
  const settings = settingsFor(await createDatabase());
  const launcher = spawn(process.execPath, [join(ROOT, 'scripts', 'start.mjs'), ...args], {
    env: { ...environment, ...settings, ...env },
  });
  let output = '';
  for (const stream of [launcher.stdout, launcher.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const exited = once(launcher, 'exit');
  try {
    await eventually(() => output.includes('Swagger UI') || launcher.exitCode !== null, Boolean, 50_000);
    const url = /Swagger UI +(\S+)\/docs/.exec(output)?.[1] ?? fail(output);
    expect((await fetch(`${url}/api/v1/greeting`)).status).toBe(401);
  } finally {
    launcher.kill();
  }
  expect(await exited).toEqual([0, null]);
});

function fail(output: string): never {
  throw new Error(`The launcher ended: ${output}`);
}

it('ends with one sentence if there is no such file', async () => {
  const args = [join(ROOT, 'scripts', 'start.mjs'), '--config', 'nowhere.mjs'];
  await expect(promisify(execFile)(process.execPath, args, { env: environment })).rejects.toMatchObject({
    code: 1,
    stderr: `There is no file ${join(HERE, 'nowhere.mjs')}. Correct --config or SLIPWAY_CONFIG.\n`,
  });
});

it('writes the documents of the service with the plugins', async () => {
  const out = mkdtempSync(join(process.env.TEST_FOLDER!, 'docs-'));
  const args = ['run', '--silent', 'docs', '--', '--config', join(HERE, CONFIG), '--out', out];
  await promisify(execFile)('npm', args, { cwd: ROOT, env: environment });
  expect(readFileSync(join(out, 'openapi.json'), 'utf8')).toContain('"/api/v1/greeting"');
});
