import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootModule } from '../../src/root-module.js';
import { createEmptyDatabase } from '../support/database.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

const folder = mkdtempSync(join(process.env.TEST_FOLDER!, 'plugins-'));
let files = 0;

/** Writes a configuration whose plugins have what is given, and otherwise what a plugin needs. */
function configOf(...plugins: string[]): string {
  const needed = `slipway: '*', modules: async () => []`;
  return fileOf(`export default { plugins: [${plugins.map((plugin) => `{ ${needed}, ${plugin} }`).join(', ')}] };`);
}

/** Returns the address of a file of the project, for a configuration in another folder. */
function inProject(path: string): string {
  return new URL(`../../${path}`, import.meta.url).href;
}

function fileOf(text: string): string {
  const file = join(folder, `${(files += 1)}.mjs`);
  writeFileSync(file, text);
  return file;
}

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

it('names a setting of a plugin that is unknown or has no prefix', async () => {
  const config = (settings: string) =>
    fileOf(
      `import { z } from '${inProject('node_modules/zod/index.js')}'; export default { plugins: [{ name: 'acme', slipway: '*', modules: async () => [], settings: ${settings} }] };`,
    );
  await expect(rootModule(config(`{ LIMIT: z.string() }`))).rejects.toThrow(
    'The setting LIMIT of the plugin acme must begin with ACME_.',
  );
  const settings = {
    ...settingsFor(await createEmptyDatabase()),
    SLIPWAY_CONFIG: config(`{ ACME_LIMIT: z.string() }`),
  };
  await expect(startProcess({ ...settings, ACME_LIMIT: '1', ACME_LIMITS: '1' })).rejects.toThrow(
    'ACME_LIMITS is not a setting',
  );
  await expect(startProcess(settings)).rejects.toThrow('ACME_LIMIT is missing');
});

it('ends with the name of the migration that failed, which changed nothing', async () => {
  const config = fileOf(`
    import { Migration } from '${inProject('node_modules/@mikro-orm/migrations/index.js')}';
    class First extends Migration { up() { this.addSql('create table acme_first ()'); } }
    class Second extends Migration { up() { this.addSql('create table acme_second ()'); this.addSql('select 1 / 0'); } }
    const plugin = { name: 'acme', slipway: '*', migrations: [First, Second], modules: async () => [] };
    export default { plugins: [plugin] };`);
  const databaseUrl = await createEmptyDatabase();
  const settings = { ...settingsFor(databaseUrl), SLIPWAY_CONFIG: config };
  await expect(startProcess(settings)).rejects.toThrow('The migration Second of the plugin acme failed');
  const database = new TestDatabase(databaseUrl);
  const tables = await database.rows(`select tablename from pg_tables where tablename like 'acme%'`);
  await database.end();
  expect(tables).toEqual([{ tablename: 'acme_first' }]);
});

it.each([
  ['event', 'session.created', `defineEvent('session.created', z.object({}))`],
  ['job', 'retention.sweep', `defineJob('retention.sweep', { queue: 'upkeep', data: z.object({}), attempts: 1 })`],
  ['metric', 'slipway_jobs', `defineGauge('slipway_jobs', { help: 'Jobs.' })`],
  [
    'retention rule',
    'audit',
    `defineRetention({ name: 'audit', holds: 'Rows', keep: { days: 1 }, sweep: oldRows({ table: 'rows', time: 'at' }) })`,
  ],
])('names the owners of two definitions of the %s %s', async (kind, name, definition) => {
  const file = fileOf(`
    import { z } from '${inProject('node_modules/zod/index.js')}';
    import { defineEvent, defineGauge, defineJob, defineRetention, oldRows } from '${inProject('dist/bundle/plugin.js')}';
    ${definition};`);
  const config = configOf(`name: 'twice', modules: () => import('${file}').then(() => [])`);
  const settings = { ...settingsFor(await createEmptyDatabase()), SLIPWAY_CONFIG: config };
  await expect(startProcess(settings)).rejects.toThrow(
    `Slipway and the plugin twice both have the ${kind} ${name}. Rename one of them.`,
  );
});

it('names a metric of a plugin that has no prefix', async () => {
  const file = fileOf(`
    import { defineCounter } from '${inProject('dist/bundle/plugin.js')}';
    defineCounter('acme_orders_total', { help: 'Orders.' });`);
  const config = configOf(`name: 'acme-shop', modules: () => import('${file}').then(() => [])`);
  const settings = { ...settingsFor(await createEmptyDatabase()), SLIPWAY_CONFIG: config };
  await expect(startProcess(settings)).rejects.toThrow(
    'The metric acme_orders_total of the plugin acme-shop must begin with acme_shop_.',
  );
});

it.each([
  ['oldRows', `oldRows({ table: 'app_user', time: 'last_seen_at', project: 'owner_id' })`, 'owner_id'],
  ['a sweep of its own', `{ tables: ['service_process'], run: async () => 0 }`, 'project_id'],
])('names an entity that does not lead to the projects whose periods count, with %s', async (_, sweep, column) => {
  const file = fileOf(`
    import { defineRetention, oldRows } from '${inProject('dist/bundle/plugin.js')}';
    const perProject = { minDays: 1, maxDays: 9 };
    defineRetention({ name: 'acme-rows', holds: 'Rows', keep: { days: 1 }, perProject, sweep: ${sweep} });`);
  const config = configOf(`name: 'acme', modules: () => import('${file}').then(() => [])`);
  const settings = { ...settingsFor(await createEmptyDatabase()), SLIPWAY_CONFIG: config };
  const message = new RegExp(`The retention acme-rows has perProject, and \\w+ has no column ${column}\\.`);
  await expect(startProcess(settings)).rejects.toThrow(message);
});

it('names a route of the administration whose path leads to no project', async () => {
  const config = fileOf(`
    import { Controller, Module } from '${inProject('node_modules/@nestjs/common/index.js')}';
    import { z } from '${inProject('node_modules/zod/index.js')}';
    import { AdminRoute, data, PathId } from '${inProject('dist/bundle/plugin.js')}';
    class Reports { read() {} }
    const description = { summary: 'Read a report', returns: data(z.object({})) };
    const method = Object.getOwnPropertyDescriptor(Reports.prototype, 'read');
    AdminRoute('GET /reports/{reportId}', description)(Reports.prototype, 'read', method);
    PathId('report')(Reports.prototype, 'read', 0);
    Controller()(Reports);
    class ReportsModule {}
    Module({ controllers: [Reports] })(ReportsModule);
    const ids = { report: 'rpt-' };
    export default { plugins: [{ name: 'reports', slipway: '*', ids, modules: async () => [ReportsModule] }] };`);
  const settings = { ...settingsFor(await createEmptyDatabase()), SLIPWAY_CONFIG: config };
  await expect(startProcess(settings)).rejects.toThrow(
    'GET /api/admin/v1/reports/{reportId} begins with an id that does not lead to a project: reportId.',
  );
});

it('ends with the names of two routes that answer the same requests', async () => {
  const config = fileOf(`
    import { Controller, Module } from '${inProject('node_modules/@nestjs/common/index.js')}';
    import { z } from '${inProject('node_modules/zod/index.js')}';
    import { data, Route } from '${inProject('dist/bundle/plugin.js')}';
    class Twins { first() {} second() {} }
    const description = { access: 'anyKey', summary: 'Do nothing', returns: data(z.object({})) };
    for (const [name, path] of [['first', '/api/v1/twins/{name}'], ['second', '/api/v1/twins/{other}']])
      Route('GET ' + path, description)(Twins.prototype, name, Object.getOwnPropertyDescriptor(Twins.prototype, name));
    Controller()(Twins);
    class TwinsModule {}
    Module({ controllers: [Twins] })(TwinsModule);
    export default { plugins: [{ name: 'twins', slipway: '*', modules: async () => [TwinsModule] }] };`);
  const settings = { ...settingsFor(await createEmptyDatabase()), SLIPWAY_CONFIG: config };
  await expect(startProcess(settings)).rejects.toThrow(
    'Twins.first and Twins.second both answer GET /api/v1/twins/{other}.',
  );
});

it('ends with the names of two protocols that call the same provider, before anything is changed', async () => {
  const config = fileOf(`
    import { Module } from '${inProject('node_modules/@nestjs/common/index.js')}';
    import { z } from '${inProject('node_modules/zod/index.js')}';
    import { ConnectionProtocol, ConnectsTo } from '${inProject('dist/bundle/plugin.js')}';
    const modules = async () => {
      class AcmeProtocol extends ConnectionProtocol {}
      ConnectsTo({ provider: 'Acme', alsoCalled: ['openai'], title: 'Acme', ledgerName: 'acme', fields: z.object({}) })(AcmeProtocol);
      class AcmeModule {}
      Module({ providers: [AcmeProtocol] })(AcmeModule);
      return [AcmeModule];
    };
    export default { plugins: [{ name: 'acme', slipway: '*', modules }] };`);
  const databaseUrl = await createEmptyDatabase();
  await expect(startProcess({ ...settingsFor(databaseUrl), SLIPWAY_CONFIG: config })).rejects.toThrow(
    'OpenAiProtocol and AcmeProtocol both call the provider openai. Rename one of them.',
  );
  const database = new TestDatabase(databaseUrl);
  expect(await database.rows(`select tablename from pg_tables where schemaname = 'public'`)).toEqual([]);
  await database.end();
});

it('ends with the names of two classes that run the nodes of one type', async () => {
  const config = fileOf(`
    import { Module } from '${inProject('node_modules/@nestjs/common/index.js')}';
    import { z } from '${inProject('node_modules/zod/index.js')}';
    import { FlowNodeKind, NodeKind } from '${inProject('dist/bundle/plugin.js')}';
    const modules = async () => {
      class AcmeWait extends NodeKind {}
      FlowNodeKind({ type: 'wait', description: 'Waits.', members: z.object({}) })(AcmeWait);
      class AcmeModule {}
      Module({ providers: [AcmeWait] })(AcmeModule);
      return [AcmeModule];
    };
    export default { plugins: [{ name: 'acme', slipway: '*', modules }] };`);
  const settings = { ...settingsFor(await createEmptyDatabase()), SLIPWAY_CONFIG: config };
  await expect(startProcess(settings)).rejects.toThrow(
    'WaitKind and AcmeWait both run the nodes of the type wait. Rename one of them.',
  );
});

it('ends with the names of two classes whose checks of the readiness have one name', async () => {
  const config = fileOf(`
    import { Module } from '${inProject('node_modules/@nestjs/common/index.js')}';
    import { ChecksReadiness, ReadinessCheck } from '${inProject('dist/bundle/plugin.js')}';
    const modules = async () => {
      class AcmeRedisCheck extends ReadinessCheck {}
      ChecksReadiness({ name: 'redis', failure: 'does not answer' })(AcmeRedisCheck);
      class AcmeModule {}
      Module({ providers: [AcmeRedisCheck] })(AcmeModule);
      return [AcmeModule];
    };
    export default { plugins: [{ name: 'acme', slipway: '*', modules }] };`);
  const settings = { ...settingsFor(await createEmptyDatabase()), SLIPWAY_CONFIG: config };
  await expect(startProcess(settings)).rejects.toThrow(
    'RedisCheck and AcmeRedisCheck both check the readiness of redis. Rename one of them.',
  );
});

it('ends with the names of two kinds of hosts that have one name', async () => {
  const config = fileOf(`
    import { Module } from '${inProject('node_modules/@nestjs/common/index.js')}';
    import { HostsModels, ModelHost } from '${inProject('dist/bundle/plugin.js')}';
    const modules = async () => {
      class AcmeHost extends ModelHost {}
      HostsModels({ name: 'local' })(AcmeHost);
      class AcmeModule {}
      Module({ providers: [AcmeHost] })(AcmeModule);
      return [AcmeModule];
    };
    export default { plugins: [{ name: 'acme', slipway: '*', modules }] };`);
  const settings = { ...settingsFor(await createEmptyDatabase()), SLIPWAY_CONFIG: config };
  await expect(startProcess(settings)).rejects.toThrow(
    'LocalHost and AcmeHost both host models as local. Rename one of them.',
  );
});

it.each([
  ['oidc', 'OidcIdentity and AcmeIdentity both identify administrators as oidc. Rename one of them.'],
  ['key', 'AdminKeyIdentity and AcmeIdentity both identify administrators as key. Rename one of them.'],
  ['Acme:1', 'The identity Acme:1 needs another name, of lower-case letters, digits and hyphens.'],
  ['acme', 'AcmeIdentity identifies administrators, so it has to extend AdminIdentity.', 'Object'],
])(
  'ends with a sentence if an identity of administrators is wrong: %s, %s',
  async (name, message, base = 'AdminIdentity') => {
    const file = fileOf(`
    import { AdminIdentity, IdentifiesAdministrators } from '${inProject('dist/bundle/plugin.js')}';
    IdentifiesAdministrators({ name: '${name}', title: 'Acme' })(class AcmeIdentity extends ${base} {});`);
    const config = configOf(`name: 'acme', modules: () => import('${file}').then(() => [])`);
    const settings = { ...settingsFor(await createEmptyDatabase()), SLIPWAY_CONFIG: config };
    await expect(startProcess(settings)).rejects.toThrow(message);
  },
);

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
