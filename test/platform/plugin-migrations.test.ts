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
