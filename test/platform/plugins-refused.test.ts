import { spawnSync } from 'node:child_process';
import { StartError } from '../../src/kernel/start-error.js';
import { rootModule } from '../../src/root-module.js';
import { configOf, expectRefusal, fileOf, inProject } from '../support/refused-start.js';

const ADDRESS = `z.string().describe('Address of Acme.')`;
const migration = (name: string) => `class ${name} extends Migration { up() {} }`;

it.each<[problem: string, config: string, message: string]>([
  ['exports nothing', fileOf('export const plugins = [];'), 'must export a configuration by default'],
  ['cannot be loaded', fileOf(`throw new Error('Out of paper');`), 'cannot be loaded: Out of paper'],
  [
    'has no plugins',
    fileOf('export default {};'),
    'The configuration of the plugins needs a change: plugins is missing.',
  ],
  [
    'has nothing where a plugin is due',
    fileOf('export default { plugins: [undefined] };'),
    'The plugin at position 1 needs a change: it is missing.',
  ],
  ['has a plugin without a name', configOf(`ids: {}`), 'The plugin at position 1 needs a change: name is missing.'],
  [
    'has a misspelt member',
    configOf(`name: 'a', setting: {}`),
    'The plugin a needs a change: it has the unknown member setting.',
  ],
  [
    'has a kind of ids in capital letters',
    configOf(`name: 'a', ids: { REPORT: 'zz-' }`),
    'The plugin a needs a change: ids.REPORT must be in camelCase.',
  ],
  ['has the same plugin twice', configOf(`name: 'a'`, `name: 'a'`), 'both have the name a.'],
  [
    'has the name of Slipway',
    configOf(`name: 'slipway'`),
    'Slipway and the plugin slipway both have the name slipway.',
  ],
  [
    'has a name with which variables of Node begin',
    configOf(`name: 'node'`),
    'The plugin node needs a change: name must be another one, because variables of the environment that begin with it belong to others.',
  ],
  [
    'asks for a newer Slipway, and has a member that is not known here',
    configOf(`name: 'b', setting: {}`, `name: 'a', slipway: '^99.0.0', queues: []`),
    'The plugin a works with Slipway ^99.0.0, and this is',
  ],
  [
    'asks for no version of Slipway',
    configOf(`name: 'a', slipway: 'latest please'`),
    'The plugin a needs a change: slipway must be a range of versions such as ^1.2.0.',
  ],
  [
    'has a kind of ids of Slipway',
    configOf(`name: 'a', ids: { session: 'x-' }`),
    'Slipway and the plugin a both have the kind of ids session.',
  ],
  [
    'has a kind of ids of Slipway that shares its prefix with another one',
    configOf(`name: 'a', ids: { agentRun: 'x-' }`),
    'Slipway and the plugin a both have the kind of ids agentRun.',
  ],
  [
    'has a setting of another plugin',
    configOf(
      `name: 'acme', settings: { ACME_SHOP_URL: ${ADDRESS} }`,
      `name: 'acme-shop', settings: { ACME_SHOP_URL: ${ADDRESS} }`,
    ),
    'The plugin acme and the plugin acme-shop both have the setting ACME_SHOP_URL. Rename one of them.',
  ],
  [
    'has a setting of Slipway',
    configOf(`name: 'database', settings: { DATABASE_POOL: ${ADDRESS} }`),
    'Slipway and the plugin database both have the setting DATABASE_POOL. Rename one of them.',
  ],
  [
    'has a setting without the name of the plugin',
    configOf(`name: 'acme', settings: { LIMIT: ${ADDRESS} }`),
    'The setting LIMIT of the plugin acme must begin with ACME_.',
  ],
  [
    'has a setting without a description',
    configOf(`name: 'acme', settings: { ACME_URL: z.string().describe('Address.').optional() }`),
    'The plugin acme needs a change: settings.ACME_URL must say what it is for, with `.describe()` at the end.',
  ],
  [
    'has settings in a schema',
    configOf(`name: 'acme', settings: z.object({ ACME_URL: ${ADDRESS} })`),
    'The plugin acme needs a change: settings must be a plain object with a schema for each name.',
  ],
  [
    'has a migration without a class',
    configOf(`name: 'a', migrations: [() => 'create table acme ()']`),
    'The plugin a needs a change: migrations.0 must be a class with a name that extends Migration.',
  ],
  [
    'has a migration of another class',
    configOf(`name: 'a', migrations: [class First { up() {} }]`),
    'The plugin a needs a change: migrations.0 must be a class with a name that extends Migration.',
  ],
  [
    'has a migration without a name',
    configOf(`name: 'a', migrations: [${migration('First')}, ${migration('')}]`),
    'The plugin a needs a change: migrations.1 must be a class with a name that extends Migration.',
  ],
  [
    'has two migrations of one name',
    configOf(`name: 'a', migrations: [${migration('First')}, ${migration('First')}]`),
    'The plugin a has two migrations with the name First.',
  ],
  [
    'has a prefix of another plugin',
    configOf(`name: 'a', ids: { one: 'zz-' }`, `name: 'b', ids: { two: 'zz-' }`),
    'The plugin a and the plugin b both have the prefix of ids zz-.',
  ],
  [
    'has a permission of Slipway',
    configOf(`name: 'a', permissions: { RUN_API: { allows: 'Run.' } }`),
    'Slipway and the plugin a both have the permission RUN_API.',
  ],
  [
    'implies an unknown permission',
    configOf(`name: 'a', permissions: { READ: { allows: 'Read it.', implies: ['NOWHERE'] } }`),
    'The permission READ of the plugin a implies NOWHERE, which does not exist.',
  ],
])('names what is wrong in a configuration that %s', async (_problem, config, message) => {
  const error = await rootModule(config).catch((error: Error) => error);
  expect(error).toBeInstanceOf(StartError);
  expect((error as Error).message).toContain(message);
});

it.each<[problem: string, config: string, message: string]>([
  [
    'has a prefix of ids of Slipway',
    configOf(`name: 'a', ids: { report: 'ag-' }`),
    'Slipway and the plugin a both have the prefix of ids ag-. Rename one of them.',
  ],
  [
    'has a permission of another plugin',
    configOf(
      `name: 'a', permissions: { READ: { allows: 'Read it.' } }`,
      `name: 'b', permissions: { READ: { allows: 'Read it.' } }`,
    ),
    'The plugin a and the plugin b both have the permission READ. Rename one of them.',
  ],
])('does not start with a configuration that %s', async (_problem, config, message) => {
  await expectRefusal(config, message);
});

it.each([
  ['is unknown', { ACME_URL: '1', ACME_URLS: '1' }, 'ACME_URLS is not a setting. Correct its name or remove it.'],
  ['is missing', undefined, 'ACME_URL is missing: Address of Acme.'],
])('names a setting of a plugin that %s', async (_, changes, line) => {
  await expectRefusal(configOf(`name: 'acme', settings: { ACME_URL: ${ADDRESS} }`), line, changes);
});

it.each([
  ['a package that is missing', `import 'acme-missing';`, /Cannot find package 'acme-missing'/],
  ['an error of its own', `throw new Error('Out of paper');`, /Out of paper$/],
])('names the plugin whose module cannot be loaded because of %s', async (_, text, reason) => {
  const config = configOf(`name: 'acme', modules: () => import('${fileOf(text)}')`);
  const loaded = rootModule(config);
  await expect(loaded).rejects.toThrow(/^The modules of the plugin acme cannot be loaded: /);
  await expect(loaded).rejects.toThrow(reason);
});

it('calls the modules of a plugin as its method', async () => {
  const config = configOf(`name: 'acme', modules() { throw new Error('Called as that of ' + this?.name); }`);
  await expect(rootModule(config)).rejects.toThrow(/Called as that of acme$/);
});

const rule = 'The modules of the plugin acme must be a list of classes with @Module';

it.each([
  ['nothing', '{}', `${rule}, and \`modules\` returns undefined.`],
  ['the exports of a file', `{ return import('${fileOf('export class AcmeModule {}')}'); }`, `returns an object.`],
  ['one class', '{ return class AcmeModule {}; }', `${rule}, and \`modules\` returns AcmeModule.`],
  ['a misspelt export', '{ return [class AcmeModule {}, undefined]; }', `${rule}; at position 2 is undefined.`],
  [
    'a controller',
    `{ class Reports {} Reflect.defineMetadata('__controller__', true, Reports); return [Reports]; }`,
    `${rule}; at position 1 is Reports.`,
  ],
])('refuses a plugin whose modules are %s', async (_, body, message) => {
  await expect(rootModule(configOf(`name: 'acme', async modules() ${body}`))).rejects.toThrow(message);
});

it.each(['slipway', 'plugin', 'testing'])('ends the import of %s with a sentence on a Node that is too old', (door) => {
  const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.1.0' } })`;
  const imported = `await import('${inProject(`dist/bundle/${door}.js`)}')`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', `${older}; ${imported};`], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 1, stderr: 'Slipway needs Node 24 or later, and this is 22.1.0.\n' });
});
