import {
  BigIntType,
  DecimalType,
  type EntityClass,
  type EntityMetadata,
  type EntityProperty,
  MetadataStorage,
  ReferenceKind,
  UnderscoreNamingStrategy,
} from '@mikro-orm/postgresql';

/** A column, its name in rows, and its type as statements write it. */
export interface Column {
  name: string;
  column: string;
  type: string;
  /** Whether a row has a number where the driver would read the type as text. */
  isReadAsNumber: boolean;
  isJson: boolean;
  /** Whether the column is read only by statements that name it. */
  isLazy: boolean;
  isNullable: boolean;
}

/** The column's declaration in a decorator. The ORM's own type shows only what the ORM makes of it later. */
interface DeclaredNames {
  fieldName?: string;
  joinColumn?: string;
  /**
   * The columns of a relation with a composite key. In every entity whose rows are read, those before the last are
   * relations of their own.
   */
  joinColumns?: string[];
  columnType?: string;
}

const naming = new UnderscoreNamingStrategy();
const known = new WeakMap<object, readonly Column[]>();

/** Returns all columns of an entity. */
export function columns(entity: EntityClass<object>): readonly Column[] {
  const before = known.get(entity);
  if (before) return before;
  const made = Object.values(metadataOf(entity).properties).filter(isStored).map(toColumn);
  known.set(entity, made);
  return made;
}

/** Returns the column of a property, its type, and whether it may be null. */
export function columnOf(entity: EntityClass<object>, property: string): Readonly<Column> {
  const column = columns(entity).find(({ name }) => name === property);
  if (!column) throw new Error(`${entity.name} has no column for ${property}`);
  return column;
}

/** Reads the metadata that the decorators wrote. It is available as soon as the class is loaded, without a database. */
function metadataOf(entity: EntityClass<object>): EntityMetadata {
  const metadata = (entity as { [MetadataStorage.META_SYMBOL]?: EntityMetadata })[MetadataStorage.META_SYMBOL];
  if (!metadata) throw new Error(`${entity.name} has no decorators of an entity, which describe its columns`);
  return metadata;
}

function isStored({ persist, kind, mappedBy }: EntityProperty): boolean {
  if (mappedBy || kind === ReferenceKind.ONE_TO_MANY || kind === ReferenceKind.MANY_TO_MANY) return false;
  // The ORM does not store a relation that is part of another relation's key, but its column exists.
  return persist !== false || kind === ReferenceKind.MANY_TO_ONE;
}

function toColumn(property: EntityProperty & DeclaredNames): Column {
  const { name, kind, type, fieldName, columnType, joinColumn, joinColumns, lazy: isLazy = false } = property;
  const isNullable = property.nullable === true;
  if (kind !== ReferenceKind.SCALAR) {
    return {
      name: `${name}Id`,
      column: joinColumn ?? joinColumns?.at(-1) ?? fieldName ?? naming.joinColumnName(name),
      type: 'text',
      isReadAsNumber: false,
      isJson: false,
      isLazy,
      isNullable,
    };
  }
  const named = columnType ?? nameOf(type);
  return {
    name,
    column: fieldName ?? naming.propertyToColumnName(name),
    type: named,
    isReadAsNumber: named === 'bigint' || named === 'numeric',
    isJson: named === 'json' || named === 'jsonb',
    isLazy,
    isNullable,
  };
}

function nameOf(type: unknown): string {
  if (type instanceof BigIntType) return 'bigint';
  if (type instanceof DecimalType) return 'numeric';
  return String(type);
}
