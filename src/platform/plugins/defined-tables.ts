import { type EntityMetadata, EntitySchema, MetadataStorage, UnderscoreNamingStrategy } from '@mikro-orm/core';
import { loadingOwner } from '../../kernel/owners.js';

const naming = new UnderscoreNamingStrategy();
/** MikroORM defines an entity of its record of migrations each time that it migrates. */
const OF_MIGRATOR = 'public.migration';
/** MikroORM forgets an entity when another one of its name is defined. */
const noted = new Map<object, { readonly table: string; readonly owner: string }>();

/** The tables of all classes that are loaded and marked as entities, or belong to an entity of `defineEntity`. */
function definedTables(): Map<object, string> {
  const marked = Object.values(MetadataStorage.getMetadata());
  const defined = [...EntitySchema.REGISTRY.values()].map(({ meta }) => meta);
  const withTable = [...marked, ...defined].filter(
    ({ class: entity, abstract, embeddable }) => entity && !abstract && !embeddable,
  );
  const tables = withTable.map((meta) => [meta.class, tableOf(meta)] as const);
  return new Map(tables.filter(([, table]) => table !== OF_MIGRATOR));
}

function tableOf({ tableName, collection, schema, className }: EntityMetadata): string {
  const table = tableName || collection || naming.classToTableName(className);
  return schema ? `${schema}.${table}` : table;
}

/** Notes that all entities that were not noted yet belong to the owner whose files are being loaded. */
export function noteTables(): void {
  for (const [entity, table] of definedTables())
    if (!noted.has(entity)) noted.set(entity, { table, owner: loadingOwner() });
}

/** The tables by their owners. A process that loads modules again has their entities twice, and each table once. */
export function tablesByOwner(): Map<string, ReadonlySet<string>> {
  const byOwner = Map.groupBy(noted.values(), ({ owner }) => owner);
  return new Map([...byOwner].map(([owner, tables]) => [owner, new Set(tables.map(({ table }) => table))]));
}
