import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Migration } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { readSettings } from '../../src/platform/config/settings.js';
import { migrationOrmOptions } from '../../src/platform/database/orm-options.js';
import { Client } from '../support/client.js';
import { createDatabase, createEmptyDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { environmentFor, MAIN, startProcess } from '../support/process.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

/**
 * The number is that of platform/database/migrate.ts. Processes of two versions have to agree on it, so it never
 * changes.
 */
const MIGRATION_LOCK = 0x736c6970;

const migrations = readdirSync(new URL('../../migrations', import.meta.url)).map((file) => file.replace('.ts', ''));

const databases: TestDatabase[] = [];
afterAll(() => Promise.all(databases.map((database) => database.end())));

function look(url: string): TestDatabase {
  const database = new TestDatabase(url);
  databases.push(database);
  return database;
}

const namesOf = async (database: TestDatabase) =>
  (await database.rows<{ name: string }>('select name from migration order by name')).map(({ name }) => name);

describe('processes that start at once', () => {
  it('migrate once', async () => {
    const settings = settingsFor(await createEmptyDatabase());
    const processes = await Promise.all([startProcess(settings), startProcess(settings)]);
    expect(await namesOf(look(settings.DATABASE_URL!))).toEqual(migrations.sort());
    await Promise.all(processes.map((process) => process.kill()));
  });

  it('wait for the migrating process before they accept requests, and say so', async () => {
    const settings: SettingsOfTest = { ...settingsFor(await createEmptyDatabase()), LOG_LEVEL: 'warn' };
    const database = look(settings.DATABASE_URL!);
    const migrating = await database.openTransaction('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    let isReady = false;
    const starting = startProcess(settings).finally(() => (isReady = true));
    await eventually(
      () =>
        database.rows(
          `select from pg_stat_activity
            where query like 'select pg_try_advisory_lock%' and backend_start < now() - interval '4 seconds'`,
        ),
      (waiting) => waiting.length === 1,
      60_000,
    );
    expect(isReady).toBe(false);
    expect(await database.rows('select from pg_tables where tablename = $1', ['migration'])).toEqual([]);
    await migrating.commit();
    const process = await starting;
    expect(process.output()).toContain('Waiting for another process that migrates the database');
    expect((await new Client(process.url).get('/health/ready')).outcome).toBe('200');
    await process.kill();
  });
});

describe('a process of an older version', () => {
  it('starts on a database that a newer one has migrated, and is ready', async () => {
    const settings = settingsFor(await createDatabase());
    const database = look(settings.DATABASE_URL!);
    await database.rows(`insert into migration (name, executed_at) values ('29991231000000_add_future', now())`);
    await database.rows('alter table project add column future text');
    const older = await startProcess(settings);
    expect((await new Client(older.url).get('/health/ready')).outcome).toBe('200');
    expect(await Client.withKey(older, older.adminKey).post('/api/admin/v1/projects', { name: 'x' })).toMatchObject({
      outcome: '201',
    });
    await older.kill();
  });

  it('leaves a job that it does not know for a process that does', async () => {
    const settings = settingsFor(await createDatabase());
    const database = look(settings.DATABASE_URL!);
    await database.rows(
      `insert into job (id, name, lane, data, state, run_at, created_at)
       values ('j-of-the-future', 'future.do', 'x', '{}', 'queued', now(), now())`,
    );
    const older = await startProcess(settings);
    const [job] = await eventually(
      () =>
        database.rows<{ state: string; error: string | null; counted: number }>(
          `select state, error, attempt - forgiven as counted from job where id = 'j-of-the-future'`,
        ),
      ([row]) => row?.error !== null,
    );
    expect(job).toMatchObject({ state: 'queued', counted: 0, error: expect.stringMatching(/newer version/) as string });
    await older.kill();
  });
});

it('ends a process whose migration fails, and says why', async () => {
  const settings = settingsFor(await createEmptyDatabase());
  await look(settings.DATABASE_URL!).rows('create table project (in_the_way text)');
  const child = spawn(process.execPath, [MAIN], { env: environmentFor(settings), stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(output).toMatch(/project.*already exists/);
});

class CreateCall extends Migration {
  override up(): void {
    this.addSql('create table call (session_id text)');
  }
}

class IndexCallsBySession extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('create index concurrently if not exists call_session on call (session_id)');
  }
}

it('lets a migration build an index concurrently, also on a table that the same start creates', async () => {
  const settings = settingsFor(await createEmptyDatabase());
  const options = migrationOrmOptions(readSettings(settings));
  const migrationsList = [CreateCall, IndexCallsBySession].map((one) => ({ name: one.name, class: one }));
  const orm = new MikroORM({
    ...options,
    migrations: { ...options.migrations, migrationsList },
  });
  await orm.migrator.up();
  await orm.close();
  const [index] = await look(settings.DATABASE_URL!).rows(
    `select indisvalid from pg_index where indexrelid = 'call_session'::regclass`,
  );
  expect(index).toEqual({ indisvalid: true });
});

class TakesLong extends Migration {
  override up(): void {
    this.addSql('select pg_sleep(0.3)');
  }
}

it('a migration may take longer than the role lets statements take', async () => {
  const settings = settingsFor(await createEmptyDatabase());
  const database = new URL(settings.DATABASE_URL!).pathname.slice(1);
  await look(settings.DATABASE_URL!).rows(
    `alter role current_user in database ${database} set statement_timeout = 100`,
  );
  const options = migrationOrmOptions(readSettings(settings));
  const migrationsList = [{ name: TakesLong.name, class: TakesLong }];
  const orm = new MikroORM({ ...options, migrations: { ...options.migrations, migrationsList } });
  await orm.migrator.up();
  await orm.close();
});
