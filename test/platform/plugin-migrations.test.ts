import { createEmptyDatabase } from '../support/database.js';
import { startProcess } from '../support/process.js';
import { configOf, endOfStart } from '../support/refused-start.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

const acmeTables = (tables: readonly string[]) => tables.filter((name) => name.startsWith('acme_'));

/** A migration with these statements. */
const migration = (name: string, statements: string[], members = '') =>
  `class ${name} extends Migration {
     up() { ${statements.map((statement) => `this.addSql('${statement}');`).join(' ')} }
     ${members}
   }`;

const first = migration('First', ['create table acme_first ()']);
const failing = migration('Second', ['create table acme_second ()', 'select 1 / 0']);
const alone = 'isTransactional() { return false; }';

it.each([
  ['nothing of the plugin', [first, failing], []],
  [
    'what ran before, if one runs without a transaction',
    [migration('Zero', ['select 1'], alone), first, failing],
    ['acme_first'],
  ],
])('names the migration that failed, and leaves %s', async (_, migrations, left) => {
  const { reason, tables } = await endOfStart(configOf(`name: 'acme', migrations: [${migrations.join(', ')}]`));
  expect(reason).toContain('The migration Second of the plugin acme failed: ');
  expect(reason).toContain('division by zero');
  expect(acmeTables(tables)).toEqual(left);
});

it('commits together what is pending, whatever ran without a transaction before', async () => {
  const zero = migration('Zero', ['select 1'], alone);
  const databaseUrl = await createEmptyDatabase();
  await endOfStart(configOf(`name: 'acme', migrations: [${zero}]`), {}, databaseUrl);
  const next = configOf(`name: 'acme', migrations: [${zero}, ${first}, ${failing}]`);
  const { reason, tables } = await endOfStart(next, {}, databaseUrl);
  expect(reason).toContain('division by zero');
  expect(acmeTables(tables)).toEqual([]);
});

it.each([
  [
    'of Slipway',
    [['create table acme_note ()', 'create table used_token ()']],
    'The migration Make of the plugin acme failed: Slipway has used_token already. Rename one of them.',
  ],
  [
    'of another plugin, which has no entity',
    [['create table acme_note ()'], ['create table acme_note ()']],
    'The migration Make of the plugin acme-shop failed: The plugin acme has acme_note already. Rename one of them.',
  ],
  [
    'of an owner that is not known',
    [['create table acme_note ()', 'create table acme_note ()']],
    'The migration Make of the plugin acme failed: acme_note exists already. ' +
      'Give yours another name, or drop it if an earlier installation left it.',
  ],
])('says whose a table is that a migration would make again: one %s', async (_, [acme, shop], message) => {
  const plugins = [`name: 'acme', migrations: [${migration('Make', acme!)}]`];
  if (shop) plugins.push(`name: 'acme-shop', migrations: [${migration('Make', shop)}]`);
  const { reason } = await endOfStart(configOf(...plugins));
  expect(reason).toContain(message);
  expect(reason).not.toContain('    at ');
});

describe('a table that refers to a resource', () => {
  const referring = (end: string) =>
    configOf(
      `name: 'acme', migrations: [${first}, ${migration('Second', [`create table acme_note (agent_id text collate "C" references agent${end})`])}]`,
    );

  it.each(['', ' on delete restrict'])(
    'ends the start if its foreign key has "%s", and nothing of the plugin stays',
    async (end) => {
      const { reason, tables } = await endOfStart(referring(end));
      expect(reason).toContain(
        'The migration Second of the plugin acme failed: ' +
          'The table acme_note refers to agent, whose rows could not be deleted any more. ' +
          'Let its foreign key end with \\"on delete cascade\\" or \\"on delete set null\\".',
      );
      expect(reason).not.toContain('    at ');
      expect(acmeTables(tables)).toEqual([]);
    },
  );

  it.each([' on delete cascade', ' on delete set null'])('is made with "%s"', async (end) => {
    const { reason, tables } = await endOfStart(referring(end));
    expect(reason).toBe('It started');
    expect(acmeTables(tables)).toEqual(['acme_first', 'acme_note']);
  });
});

it('applies the migrations of two plugins that have the same name', async () => {
  const SLIPWAY_CONFIG = configOf(
    `name: 'acme', migrations: [${first}]`,
    `name: 'acme-shop', migrations: [${migration('First', ['create table acme_shop ()'])}]`,
  );
  const databaseUrl = await createEmptyDatabase();
  const service = await startProcess({ ...settingsFor(databaseUrl), SLIPWAY_CONFIG });
  await service.stop();
  const database = new TestDatabase(databaseUrl);
  const applied = await database.rows(`select name from migration where name like '%/First' order by id`);
  const tables = await database.rows(
    `select tablename from pg_tables where tablename like 'acme_%' order by tablename`,
  );
  await database.end();
  expect(applied).toEqual([{ name: 'acme/First' }, { name: 'acme-shop/First' }]);
  expect(tables).toEqual([{ tablename: 'acme_first' }, { tablename: 'acme_shop' }]);
});
