import { DatabaseSchema, MikroORM, SchemaComparator, type TableDifference } from '@mikro-orm/postgresql';
import { createEmptyDatabase } from '../support/database.js';
import { startService } from '../support/service.js';
import { TestDatabase } from '../support/test-database.js';

const service = await startService();
/** A database that the ORM has built from the entities. */
const built = new TestDatabase(await createEmptyDatabase());
afterAll(() => Promise.all([service.stop(), built.end()]));

const orm = service.app.get(MikroORM);
await built.rows(await orm.schema.getCreateSchemaSQL({ wrap: false }));
const migrated = service.database;

/** The tables with an entity. `tables.ts` has the reason for each of the others. */
const tables = [...orm.getMetadata().getAll().values()].map(({ tableName }) => tableName);

/** The parts that only one side can have, each with the reason. */
const ONE_SIDED: Record<string, string> = {
  ledger_row_pkey: 'The ORM names each row, while nothing reads the index that a primary key would cost each call.',
  project_retention_project_id_fkey:
    'The platform knows no module, so its entity has the id of a project, and no project.',
};

const isOneSided = (name: string) => name in ONE_SIDED;

/** Returns what the ORM would change in the database to make it equal to the entities. */
async function differences(): Promise<string[]> {
  const [platform, connection] = [orm.em.getPlatform(), orm.em.getConnection()];
  const schema = await DatabaseSchema.create(connection, platform, orm.config);
  schema.setTables(schema.getTables().filter(({ name }) => tables.includes(name)));
  for (const table of schema.getTables()) {
    // Entities declare no triggers. A migration creates each trigger together with the function that it calls.
    table.setTriggers([]);
    // `definitions` compares collations by name. The comparator cannot tell the server's default from none.
    delete table.collation;
  }
  const { newTables, changedTables } = new SchemaComparator(platform).compare(schema, orm.schema.getTargetSchema());
  return [
    ...Object.values(newTables).map(({ name }) => `${name} is said by the entity alone`),
    ...Object.values(changedTables).flatMap(inWords),
  ];
}

const HOW = {
  added: 'is said by the entity alone',
  removed: 'is in the database alone',
  renamed: 'has another name in the entity',
  changed: 'is another in the entity:',
};

/**
 * Describes differences. The comparator has a member for each kind, such as `removedIndexes`, with the parts by name.
 */
function inWords({ fromTable, ...found }: TableDifference): string[] {
  return Object.entries(found).flatMap(([member, parts]) => {
    const [, how, what] = /^(added|removed|renamed|changed)([A-Z]\w+)$/.exec(member) ?? [];
    if (how === undefined) return [];
    return Object.entries(parts as Record<string, { changedProperties?: Set<string> }>)
      .filter(([name]) => !isOneSided(name))
      .map(([name, { changedProperties = [] }]) =>
        [`${fromTable.name}: ${what} ${name} ${HOW[how as keyof typeof HOW]}`, ...changedProperties].join(' '),
      );
  });
}

/**
 * Reads columns, indexes and constraints as PostgreSQL writes them. This finds differences that the comparator does not
 * see, such as `json` and `jsonb`, `id` and `id desc`, or two expressions in indexes of one name.
 */
async function definitions(database: TestDatabase): Promise<Record<string, string>> {
  const rows = await database.rows<{ table: string; name: string; definition: string }>(
    `with own as (
       select oid, relname from pg_class where relname = any($1) and relnamespace = 'public'::regnamespace)
     select relname as table, attname as name,
       concat_ws(' ', format_type(atttypid, atttypmod),
         'collate ' || nullif(nullif(attcollation, 0), 'pg_catalog."default"'::regcollation)::regcollation,
         'default ' || pg_get_expr(adbin, adrelid), 'identity ' || nullif(attidentity, '')::text,
         case when attnotnull then 'not null' end) as definition
     from own join pg_attribute on attrelid = own.oid and attnum > 0 and not attisdropped
       left join pg_attrdef on adrelid = attrelid and adnum = attnum
     union all
     select relname, indexrelid::regclass::text, pg_get_indexdef(indexrelid)
     from own join pg_index on indrelid = own.oid
     union all
     select relname, conname, pg_get_constraintdef(con.oid)
     from own join pg_constraint con on conrelid = own.oid
     -- Columns tell which of them take no null. A unique constraint does what its unique index does.
     where contype not in ('n', 'u')`,
    [tables],
  );
  const compared = rows.filter(({ name }) => !isOneSided(name));
  return Object.fromEntries(compared.map(({ table, name, definition }) => [`${table}.${name}`, plain(definition)]));
}

/**
 * Removes what an entity cannot declare: that a check is not validated for older rows, and that a table has partitions.
 */
function plain(definition: string): string {
  return definition.replace(/ NOT VALID$/, '').replace(' ON ONLY ', ' ON ');
}

it('a migrated database has nothing that the ORM would change', async () => {
  expect(await differences()).toEqual([]);
});

it('a migrated database has everything that the ORM would build', async () => {
  expect(await definitions(built)).toEqual(await definitions(migrated));
});

it.each(Object.entries(ONE_SIDED))('says in a sentence why one side has no %s', (_, reason) => {
  expect(reason).toMatch(/^[A-Z].{10,}\.$/);
});

it('the comparison names what differs in the database', async () => {
  await migrated.rows('alter table project add column forgotten text');
  await migrated.rows('alter table project alter column name type text collate "C"');
  expect(await differences()).toEqual([
    'project: Columns name is another in the entity: collation',
    'project: Columns forgotten is in the database alone',
  ]);
  expect(await definitions(migrated)).toMatchObject({
    'project.forgotten': 'text',
    'project.name': 'text collate "C" not null',
  });
  expect(await definitions(built)).toMatchObject({ 'project.name': 'text not null' });
});
