import { type EntityManager, type EntityMetadata, MikroORM, wrap } from '@mikro-orm/postgresql';
import { RouteSuite, takesBody } from '../support/route-suite.js';
import { startService } from '../support/service.js';

/** A payload goes before its call, or together with it. */
const LASTS_LONGER = 'CallPayload.call';
/** They are found with their key, made with it and deleted with it. */
const PARTS = ['ApiKeyValue', 'ApiKeyUse'];

/** The rows that requests to all routes leave behind are read as a module would that owns none of them. */
const service = await startService();
afterAll(() => service.stop());

const suite = await RouteSuite.of(service);
const tenant = await suite.tenant();
for (const [, route] of suite.where(takesBody)) {
  await suite.send(suite.callerOf(route, tenant), route, await suite.sample(route, tenant));
}

const orm = service.app.get(MikroORM);
const entities = [...orm.getMetadata().getAll().values()];
const relations = entities.flatMap((entity) =>
  entity.relations.map(({ name }): [string, string, EntityMetadata] => [entity.className, name, entity]),
);
const unenforced = relations.filter(
  ([className, name, entity]) =>
    relationOf(entity, name).createForeignKeyConstraint === false && `${className}.${name}` !== LASTS_LONGER,
);

function relationOf({ properties }: EntityMetadata, name: string) {
  return properties[name as never] as EntityMetadata['relations'][number];
}

type Row = Record<string, object | null>;

async function findWith(em: EntityManager, { class: entity }: EntityMetadata, relation: string): Promise<Row[]> {
  return (await em.find(entity, {}, { populate: [relation] as never })) as Row[];
}

it('has a repository for every entity that is no part of another', () => {
  const without = entities.filter(({ repository }) => repository === undefined).map(({ className }) => className);
  expect(without.sort()).toEqual([...PARTS].sort());
});

it.each(relations)('finds each %s with its %s', async (_, name, entity) => {
  const em = orm.em.fork();
  const rows = await findWith(em, entity, name);
  expect(rows).toHaveLength(await em.count(entity.class));
  for (const related of rows.map((row) => row[name])) {
    if (related) expect(wrap(related).isInitialized()).toBe(true);
  }
});

it.each(unenforced)('finds each %s whose %s is gone', async (_, name, entity) => {
  const em = orm.em.fork();
  await em.begin();
  try {
    const count = await em.count(entity.class);
    await dropForeignKeys(em, entity);
    const column = relationOf(entity, name).joinColumns.at(-1)!;
    await em.execute(`update ${entity.tableName} set ${column} = 'gone-' || ${column}`);
    const rows = await findWith(em, entity, name);
    expect(rows).toHaveLength(count);
    expect(rows.filter((row) => row[name] !== null)).toEqual([]);
  } finally {
    await em.rollback();
  }
});

/** Until the rollback: a column may belong to two relations, of which the database enforces one. */
async function dropForeignKeys(em: EntityManager, { tableName }: EntityMetadata): Promise<void> {
  const keys = await em.execute<{ table: string; name: string }[]>(
    `select conrelid::regclass::text as "table", conname as name from pg_constraint
     where contype = 'f' and ?::regclass in (conrelid, confrelid)`,
    [tableName],
  );
  for (const { table, name } of keys) await em.execute(`alter table ${table} drop constraint ${name}`);
}
