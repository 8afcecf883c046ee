import { type EntityMetadata, EntitySchema, MetadataStorage, UnderscoreNamingStrategy } from '@mikro-orm/core';

const naming = new UnderscoreNamingStrategy();
const ofSlipway = new Set<string>();

/** The tables of all classes that are loaded and marked as entities, or belong to an entity of `defineEntity`. */
export function definedTables(): Map<object, string> {
  const marked = Object.values(MetadataStorage.getMetadata());
  const defined = [...EntitySchema.REGISTRY.values()].map(({ meta }) => meta);
  const withTable = [...marked, ...defined].filter(
    ({ class: entity, abstract, embeddable }) => entity && !abstract && !embeddable,
  );
  return new Map(withTable.map((meta) => [meta.class, tableOf(meta)]));
}

function tableOf({ tableName, collection, schema, className }: EntityMetadata): string {
  const table = tableName || collection || naming.classToTableName(className);
  return schema ? `${schema}.${table}` : table;
}

/** The tables of Slipway's own entities, which are loaded before those of the plugins. */
export function tablesOfSlipway(): ReadonlySet<string> {
  return ofSlipway;
}

export function rememberTablesOfSlipway(): void {
  for (const table of definedTables().values()) ofSlipway.add(table);
}
