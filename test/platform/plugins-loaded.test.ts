import { configOf, endOfStart, expectRefusal, fileOf, inProject, loading } from '../support/refused-start.js';

const entity = (tableName: string) =>
  `class Thing {} PrimaryKey({ type: 'text' })(Thing.prototype, 'id'); Entity({ tableName: '${tableName}' })(Thing);`;
const properties = 'properties: { id: p.text().primary() }';
const definedFor = (tableName: string) =>
  `class Thing {} defineEntity({ class: Thing, tableName: '${tableName}', ${properties} });`;
const definedBefore = (tableName: string) =>
  `const schema = defineEntity({ name: 'Thing', tableName: '${tableName}', ${properties} });
   class Thing extends schema.class {} schema.setClass(Thing);`;

it.each<[owners: string, table: string, plugins: string[]]>([
  ['Slipway and the plugin a', 'job', [loading('a', entity('job'))]],
  ['Slipway and the plugin a', 'used_token', [loading('a', entity('used_token'))]],
  ['The plugin a and the plugin b', 'thing', [loading('a', entity('thing')), loading('b', entity('thing'))]],
  ['The plugin a and the plugin b', 'note', [loading('a', definedFor('note')), loading('b', definedBefore('note'))]],
  ['The plugin a and the plugin b', 'page', [loading('a', definedFor('page')), loading('b', entity('page'))]],
])('ends with the names of %s if both have the table %s', async (owners, table, plugins) => {
  await expectRefusal(configOf(...plugins), `${owners} both have the table ${table}. Rename one of them.`);
});

it.each([
  [
    'error code',
    'SCOPE_NOT_FOUND',
    `defineErrors({ gone: { status: 404, code: 'SCOPE_NOT_FOUND', message: 'There is no such scope.' } })`,
  ],
  ['event', 'session.created', `defineEvent('session.created', z.object({}))`],
  ['job', 'retention.sweep', `defineJob('retention.sweep', { queue: 'upkeep', data: z.object({}), attempts: 1 })`],
  ['metric', 'slipway_jobs', `defineGauge('slipway_jobs', { help: 'Jobs.' })`],
  [
    'retention rule',
    'audit',
    `defineRetention({ name: 'audit', holds: 'Rows', keep: { days: 1 }, sweep: slipway.oldRows({ table: 'rows', time: 'at' }) })`,
  ],
])('names the owners of two definitions of the %s %s', async (kind, name, definition) => {
  const config = configOf(loading('twice', `slipway.${definition};`));
  await expectRefusal(config, `Slipway and the plugin twice both have the ${kind} ${name}. Rename one of them.`);
});

it('names a metric of a plugin that has no prefix', async () => {
  const config = configOf(loading('acme-shop', `slipway.defineCounter('acme_orders_total', { help: 'Orders.' });`));
  const message = 'The metric acme_orders_total of the plugin acme-shop must begin with acme_shop_.';
  await expectRefusal(config, message);
});

it.each([
  ['oldRows', `slipway.oldRows({ table: 'app_user', time: 'last_seen_at', project: 'owner_id' })`, 'owner_id'],
  ['a sweep of its own', `{ tables: ['service_process'], run: async () => 0 }`, 'project_id'],
])('names an entity that does not lead to the projects whose periods count, with %s', async (_, sweep, column) => {
  const rule = `const perProject = { minDays: 1, maxDays: 9 };
    slipway.defineRetention({ name: 'acme-rows', holds: 'Rows', keep: { days: 1 }, perProject, sweep: ${sweep} });`;
  const message = new RegExp(`The retention acme-rows has perProject, and \\w+ has no column ${column}\\.`);
  await expectRefusal(configOf(loading('acme', rule)), message);
});

it.each<[handlers: string, statements: string, message: string]>([
  [
    'two handlers',
    `class First extends slipway.JobHandler {} class Second extends slipway.JobHandler {}
     slipway.HandlesJob(job)(First); slipway.HandlesJob(job)(Second);`,
    'First and Second of the plugin a both handle the job a.work. Remove one of them.',
  ],
  ['no handler', '', 'The job a.work of the plugin a has no handler. Mark a class with @HandlesJob.'],
])('ends with one sentence if a job has %s', async (_, statements, message) => {
  const job = `const job = slipway.defineJob('a.work', { queue: 'upkeep', data: z.object({}), attempts: 1 });`;
  await expectRefusal(configOf(loading('a', `${job} ${statements}`)), message);
});

it.each([
  [
    'whose type has no order',
    'facts',
    'No list of Thing can be sorted by facts, whose type is jsonb. Remove the sort.',
  ],
  ['that is no column', 'weight', 'Thing has no column for weight.'],
])('ends with one sentence if a list is sorted by a property %s', async (_, property, message) => {
  const statements = `
    const properties = { id: p.text().primary(), facts: p.json() };
    const Thing = defineEntity({ name: 'Thing', tableName: 'thing', properties });
    slipway.defineList(Thing, { sorts: { createdAt: 'id', other: '${property}' } });`;
  await expectRefusal(configOf(loading('acme', statements)), message);
});

const imports = `
  import { z } from '${inProject('node_modules/zod/index.js')}';
  import * as slipway from '${inProject('dist/bundle/plugin.js')}';`;

/** A file of the plugin acme with a metric and a job. */
const fileOfAcme = (name: string) =>
  fileOf(`${imports}
    slipway.defineCounter('acme_${name}_total', { help: 'Sales.' });
    export const ${name} = slipway.defineJob('acme.${name}', { queue: 'upkeep', data: z.object({}), attempts: 1 });`);

it('starts if the configuration or an earlier plugin is the first to import metrics and jobs of a plugin', async () => {
  const [first, second] = [fileOfAcme('first'), fileOfAcme('second')];
  const acme = `
    import { first } from '${first}';
    import { second } from '${second}';
    class First extends slipway.JobHandler {} slipway.HandlesJob(first)(First);
    class Second extends slipway.JobHandler {} slipway.HandlesJob(second)(Second);
    class AcmeModule {}
    Module({ providers: [First, Second] })(AcmeModule);
    export const modules = [AcmeModule];`;
  const plugins = configOf(loading('reports', `import '${second}';`), loading('acme', acme));
  const config = fileOf(`import '${first}'; export default (await import('${plugins}')).default;`);
  const { reason } = await endOfStart(config);
  expect(reason).toBe('It started');
});

it.each([
  [
    `slipway.defineEvent('bolt.sold', z.object({}));`,
    'The configuration and the plugin bolt both have the event bolt.sold. Rename one of them.',
  ],
  [
    `slipway.defineCounter('sales_total', { help: 'Sales.' });`,
    'The metric sales_total of the configuration must begin with the name of a plugin.',
  ],
])('names the configuration if it defines what does not fit: %s', async (definition, message) => {
  const plugins = configOf(loading('bolt', `slipway.defineEvent('bolt.sold', z.object({}));`));
  const config = fileOf(`${imports} ${definition} export default (await import('${plugins}')).default;`);
  await expectRefusal(config, message);
});

it('keeps the sentence of Nest about modules that do not fit together', async () => {
  const modules = `
    class Catalogue {}
    class AcmeService {}
    Reflect.defineMetadata('design:paramtypes', [Catalogue], AcmeService);
    class AcmeModule {}
    Module({ providers: [AcmeService] })(AcmeModule);
    export const modules = [AcmeModule];`;
  const message = /The modules do not fit together: Nest can't resolve dependencies of the AcmeService \(\?\)/;
  await expectRefusal(configOf(loading('acme', modules)), message);
});
