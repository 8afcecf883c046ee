import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createEmptyDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { configOf } from '../support/refused-start.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { pathOf } from './queries.js';

/** Runs the program of the chart's hook to its end. */
async function migrate(settings: SettingsOfTest): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [pathOf('dist/bundle/migrate.js')], { env: settings, stdio: 'pipe' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

it('two migrations at once both end well, and migrate once', async () => {
  // A volume for files is not mounted into the pod of the hook.
  const databaseUrl = await createEmptyDatabase();
  const settings = { ...settingsFor(databaseUrl), STORAGE_URL: 'file:/files' };
  const ended = await Promise.all([migrate(settings), migrate(settings)]);
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  const database = new TestDatabase(databaseUrl);
  const rows = await database.rows<{ count: number }>('select count(*)::int as count from project');
  expect(rows).toEqual([{ count: 0 }]);
});

/** The number is that of platform/database/migrate.ts, and the same in each version. */
const MIGRATION_LOCK = 0x736c6970;

/** A release whose plugin has these migrations. Each is a name and a statement. */
const releaseWith = (...migrations: [name: string, statement: string][]) => {
  const classes = migrations.map(
    ([name, statement]) => `class ${name} extends Migration { up() { this.addSql("${statement}"); } }`,
  );
  return { SLIPWAY_CONFIG: configOf(`name: 'acme', migrations: [${classes.join(', ')}]`) };
};

it('migrations of an older and a newer release at once wait for one another, and lose nothing', async () => {
  const settings = settingsFor(await createEmptyDatabase());
  const database = new TestDatabase(settings.DATABASE_URL!);
  const makes: [string, string] = ['Makes', "create table acme_note as select 'older' as release"];
  const adds: [string, string] = ['Adds', "insert into acme_note values ('newer')"];
  const [older, newer] = [releaseWith(makes), releaseWith(makes, adds)];
  const lock = await database.openTransaction('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
  const migrating = [older, newer, older, newer].map((release) => migrate({ ...settings, ...release }));
  await eventually(
    () =>
      database.rows(`select from pg_stat_activity where query like 'select pg_try_advisory_lock%'
                           and datname = current_database()`),
    (waiting) => waiting.length === migrating.length,
  );
  await lock.commit();
  for (const { code, output } of await Promise.all(migrating)) expect({ code, output }).toMatchObject({ code: 0 });
  expect(await database.rows('select release from acme_note')).toEqual([{ release: 'older' }, { release: 'newer' }]);
  const names = await database.rows(`select name from migration where name like 'acme/%' order by id`);
  expect(names).toEqual([{ name: 'acme/Makes' }, { name: 'acme/Adds' }]);
  await database.end();
});

it('a migration that cannot run says why, and stops the release', async () => {
  const { code, output } = await migrate({ LOG_LEVEL: 'loud' });
  expect(code).toBe(1);
  expect(output).toContain('DATABASE_URL');
  expect(output).not.toMatch(/^\s+at /m);
});
