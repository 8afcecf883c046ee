import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEmptyDatabase } from '../support/database.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';

const project = fileURLToPath(new URL('../..', import.meta.url));

/** Makes a repository with these files, and with the compiler unless it is to have none. Returns its folder. */
function repositoryOf(files: Record<string, string>, { hasCompiler = true } = {}): string {
  const folder = realpathSync(mkdtempSync(join(process.env.TEST_FOLDER!, 'typescript-')));
  const packages = join(folder, 'node_modules');
  mkdirSync(packages);
  if (hasCompiler) symlinkSync(join(project, 'node_modules', 'typescript-7'), join(packages, 'typescript'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Returns all that the service says if it ends with this configuration. It does not come as far as the database. */
async function endOfStart(SLIPWAY_CONFIG: string): Promise<string> {
  const settings = settingsFor('postgresql://user@127.0.0.1:1/none');
  return startProcess({ ...settings, SLIPWAY_CONFIG }).then(
    () => 'It started',
    (error: Error) => error.message,
  );
}

it('runs a plugin of TypeScript as it stands, with its decorated modules', async () => {
  const SLIPWAY_CONFIG = join(project, 'examples', 'acme-knowledge', 'slipway.config.ts');
  const service = await startProcess({ ...settingsFor(await createEmptyDatabase()), SLIPWAY_CONFIG });
  const { status } = await fetch(`${service.url}/api/v1/knowledge-bases`);
  await service.stop();
  expect(status).toBe(401);
});

it('takes all files of TypeScript and JavaScript that the configuration imports, with their places', async () => {
  const folder = repositoryOf({
    'slipway.config.ts': `
      import { one } from './one.js';
      import { two } from './two.ts';
      import { three } from './three.mjs';
      import { four } from './four.mjs';
      import five from './five.json' with { type: 'json' };
      interface Unused {
        member: string;
      }
      console.error(\`place: \${new Error('Out of paper').stack}\`);
      const plugins: string[] = [one, two, three, four, five.text];
      throw new Error(plugins.join());`,
    'one.ts': `export const one: string = 'one';`,
    'two.ts': `export const two: string = 'two';`,
    'three.mts': `export const three: string = 'three';`,
    'four.mjs': `export const four = 'four';`,
    'five.json': '{ "text": "five" }',
    'tsconfig.json': JSON.stringify({ compilerOptions: { noEmit: true, allowImportingTsExtensions: true } }),
  });
  const file = join(folder, 'slipway.config.ts');
  const said = await endOfStart(file);
  expect(said).toContain(`The configuration ${file} cannot be loaded: one,two,three,four,five`);
  expect(said).toContain(`${file}:10:`);
});

it('compiles the file to which a link leads', async () => {
  const folder = repositoryOf({
    'slipway.config.ts': `
      class Plugin {
        constructor(readonly name: string) {}
      }
      throw new Error(new Plugin('acme').name);`,
  });
  const link = join(folder, 'linked.config.ts');
  symlinkSync(join(folder, 'slipway.config.ts'), link);
  expect(await endOfStart(link)).toMatch(/slipway\.config\.ts cannot be loaded: acme/);
});

it('ends with one sentence if there is no configuration', async () => {
  const said = await endOfStart(join(repositoryOf({}), 'slipway.config.ts'));
  expect(said).toMatch(/The configuration .*slipway\.config\.ts cannot be loaded: ENOENT/);
  expect(said).not.toContain('    at ');
});

it.each<[problem: string, file: string, text: string, hasCompiler: boolean, message: RegExp]>([
  [
    'a line that is no TypeScript',
    'slipway.config.ts',
    'export default {\n  plugins: [}',
    true,
    /slipway\.config\.ts cannot be compiled: slipway\.config\.ts\(2,13\): error TS\d+: /,
  ],
  [
    'an import that this Slipway lacks',
    'slipway.config.ts',
    `import { defineQueue } from 'slipway/plugin';\nexport default defineQueue();`,
    true,
    /cannot be loaded: .* named 'defineQueue'\. Does it need a newer Slipway than \d+\.\d+\.\d+\?/,
  ],
  [
    'no compiler',
    'slipway.config.ts',
    'export default { plugins: [] };',
    false,
    /no compiler is installed beside it\. Run `npm install --save-dev typescript`, or compile/,
  ],
  [
    'another type of file',
    'slipway.config.yaml',
    'plugins: []',
    true,
    /slipway\.config\.yaml must be TypeScript or JavaScript, and end with \.ts, \.mts, \.js or \.mjs\./,
  ],
])('ends with one sentence if the configuration has %s', async (_problem, file, text, hasCompiler, message) => {
  const said = await endOfStart(join(repositoryOf({ [file]: text }, { hasCompiler }), file));
  expect(said).toMatch(message);
  expect(said).not.toContain('    at ');
});

const start = `import { start } from 'slipway';`;
const startWithIt = `${start} await start(() => import('./slipway.config.js'));`;

it.each([
  [
    'an error of its files',
    `throw new Error('Out of paper');`,
    startWithIt,
    'The configuration cannot be loaded: Out of paper',
  ],
  ['no export by default', '', startWithIt, 'The file of the configuration must export a configuration by default.'],
  [
    'what it defines before Slipway is loaded',
    `import { defineCounter } from 'slipway/plugin';
     defineCounter('sales_total', { help: 'Sales.' });
     export default { plugins: [] };`,
    `import config from './slipway.config.js'; ${start} await start(config);`,
    'The metric sales_total of the configuration must begin with the name of a plugin.',
  ],
])('ends the program of a repository with one sentence because of %s', (_problem, config, main, message) => {
  const folder = repositoryOf({
    'package.json': '{ "type": "module" }',
    'slipway.config.js': config,
    'main.js': main,
  });
  symlinkSync(project, join(folder, 'node_modules', 'slipway'));
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'main.js')], { encoding: 'utf8' });
  expect({ status, said: (JSON.parse(stderr) as { msg: string }).msg }).toEqual({ status: 1, said: message });
});
