import { type EntityMetadata, MetadataStorage, UnderscoreNamingStrategy } from '@mikro-orm/core';

const naming = new UnderscoreNamingStrategy();

/** The tables of all classes that are loaded and marked as entities, by class. */
export function definedTables(): Map<object, string> {
  const marked = Object.values(MetadataStorage.getMetadata());
  const withTable = marked.filter(({ class: entity, abstract, embeddable }) => entity && !abstract && !embeddable);
  return new Map(withTable.map((meta) => [meta.class, tableOf(meta)]));
}

function tableOf({ tableName, collection, schema, className }: EntityMetadata): string {
  const table = tableName || collection || naming.classToTableName(className);
  return schema ? `${schema}.${table}` : table;
}
