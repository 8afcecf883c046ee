import { spawnSync } from 'node:child_process';
import { rootModule } from '../../src/root-module.js';
import { configOf, expectRefusal, fileOf, inProject } from '../support/refused-start.js';

it.each<[problem: string, config: string, message: string]>([
  ['exports nothing', fileOf('export const plugins = [];'), 'must export a configuration by default'],
  ['cannot be loaded', fileOf(`throw new Error('Out of paper');`), 'cannot be loaded: Out of paper'],
  ['has a plugin without a name', configOf(`ids: {}`), 'The plugin at position 1 needs a change: name'],
  ['has a misspelt member', configOf(`name: 'a', setting: {}`), 'The plugin a needs a change'],
  ['has the same plugin twice', configOf(`name: 'a'`, `name: 'a'`), 'both have the name a.'],
  [
    'has the name of Slipway',
    configOf(`name: 'slipway'`),
    'Slipway and the plugin slipway both have the name slipway.',
  ],
  [
    'asks for a newer Slipway',
    configOf(`name: 'a', slipway: '^99.0.0'`),
    'The plugin a works with Slipway ^99.0.0, and this is',
  ],
  [
    'has a kind of ids of Slipway',
    configOf(`name: 'a', ids: { session: 'x-' }`),
    'Slipway and the plugin a both have the kind of ids session.',
  ],
  [
    'has a kind of ids that shares its prefix with another kind',
    configOf(`name: 'a', ids: { agentRun: 'x-' }`),
    'Slipway and the plugin a both have the kind of ids agentRun.',
  ],
  [
    'has a setting of another plugin',
    configOf(
      `name: 'acme', settings: { ACME_SHOP_URL: z.string() }`,
      `name: 'acme-shop', settings: { ACME_SHOP_URL: z.string() }`,
    ),
    'The plugin acme and the plugin acme-shop both have the setting ACME_SHOP_URL. Rename one of them.',
  ],
  [
    'has two migrations of one name',
    configOf(`name: 'a', migrations: [class First {}, class First {}]`),
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
])('does not start with a configuration that %s', async (_problem, config, message) => {
  await expect(rootModule(config)).rejects.toThrow(message);
});

it('names a setting of a plugin that has no prefix', async () => {
  const config = configOf(`name: 'acme', settings: { LIMIT: z.string() }`);
  await expect(rootModule(config)).rejects.toThrow('The setting LIMIT of the plugin acme must begin with ACME_.');
});

it.each([
  ['is unknown', { ACME_LIMIT: '1', ACME_LIMITS: '1' }, 'ACME_LIMITS is not a setting'],
  ['is missing', undefined, 'ACME_LIMIT is missing'],
])('names a setting of a plugin that %s', async (_, changes, message) => {
  await expectRefusal(configOf(`name: 'acme', settings: { ACME_LIMIT: z.string() }`), message, changes);
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

it.each(['slipway', 'plugin', 'testing'])('ends the import of %s with a sentence on a Node that is too old', (door) => {
  const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.1.0' } })`;
  const imported = `await import('${inProject(`dist/bundle/${door}.js`)}')`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', `${older}; ${imported};`], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 1, stderr: 'Slipway needs Node 24 or later, and this is 22.1.0.\n' });
});
