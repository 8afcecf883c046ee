import {
  BigIntType,
  DecimalType,
  type EntityMetadata,
  type EntityName,
  type EntityProperty,
  EntitySchema,
  MetadataStorage,
  PostgreSqlPlatform,
  ReferenceKind,
  Type,
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

/** A property as it is declared. The ORM's own type shows only what the ORM makes of it later. */
interface Declared extends Pick<EntityProperty, 'persist' | 'mappedBy' | 'formula' | 'nullable' | 'lazy' | 'primary'> {
  /** Properties of `defineEntity` that are no relations have none. */
  kind?: ReferenceKind;
  /** A name, a type of the ORM, or the class of one. */
  type?: unknown;
  entity?: () => EntityName;
  fieldName?: string;
  joinColumn?: string;
  /**
   * The columns of a relation with a composite key. In every entity whose rows are read, those before the last are
   * relations of their own.
   */
  joinColumns?: string[];
  columnType?: string;
  enum?: boolean;
}

const naming = new UnderscoreNamingStrategy();
const platform = new PostgreSqlPlatform();
const known = new WeakMap<object, readonly Column[]>();

/** Returns all columns of an entity. */
export function columns(entity: EntityName): readonly Column[] {
  const before = known.get(entity);
  if (before) return before;
  const stored = Object.entries(declaredBy(entity)).filter(([, property]) => isStored(property));
  if (stored.length === 0) throw new Error(`${nameOf(entity)} is not declared as an entity with columns`);
  const made = stored.map(([name, property]) => toColumn(name, property));
  known.set(entity, made);
  return made;
}

/** Returns the column of a property, its type, and whether it may be null. */
export function columnOf(entity: EntityName, property: string): Readonly<Column> {
  const column = columns(entity).find(({ name }) => name === property);
  if (!column) throw new Error(`${nameOf(entity)} has no column for ${property}`);
  return column;
}

/**
 * Reads what decorators or `defineEntity` declare, also of the entity that this one extends. It is available as soon as
 * the entity is loaded, without a database.
 */
function declaredBy(entity: EntityName): Record<string, Declared> {
  const schema = EntitySchema.is(entity) ? entity : EntitySchema.REGISTRY.get(entity);
  const decorated = entity as { [MetadataStorage.META_SYMBOL]?: EntityMetadata };
  const { extends: base, properties = {} } = schema?.meta ?? decorated[MetadataStorage.META_SYMBOL] ?? {};
  return { ...(base && declaredBy(base)), ...(properties as Record<string, unknown>) } as Record<string, Declared>;
}

function isStored({ persist, kind, mappedBy, formula }: Declared): boolean {
  if (mappedBy || formula || kind === ReferenceKind.EMBEDDED) return false;
  if (kind === ReferenceKind.ONE_TO_MANY || kind === ReferenceKind.MANY_TO_MANY) return false;
  // The ORM does not store a relation that is part of another relation's key, but its column exists.
  return persist !== false || kind === ReferenceKind.MANY_TO_ONE;
}

function toColumn(name: string, property: Declared): Column {
  const { kind = ReferenceKind.SCALAR, fieldName, joinColumn, joinColumns, lazy: isLazy = false } = property;
  const isNullable = property.nullable === true;
  if (kind !== ReferenceKind.SCALAR) {
    const key = keyOf(property.entity!());
    const column = joinColumn ?? joinColumns?.at(-1) ?? fieldName ?? naming.joinKeyColumnName(name, key.column);
    return { ...key, name: `${name}Id`, column, isLazy, isNullable };
  }
  const type = typeOf(property);
  return {
    name,
    column: fieldName ?? naming.propertyToColumnName(name),
    type,
    isReadAsNumber: isReadAsNumber(property.type, type),
    isJson: type === 'json' || type === 'jsonb',
    isLazy,
    isNullable,
  };
}

/** Returns the column to which a relation refers. */
function keyOf(entity: EntityName): Column {
  const [name, property] = Object.entries(declaredBy(entity)).findLast(([, { primary }]) => primary)!;
  return toColumn(name, property);
}

function typeOf(property: Declared): string {
  const { columnType, type, enum: isEnum } = property;
  if (columnType) return columnType;
  if (type === undefined && isEnum) return 'text';
  // The ORM would declare a number without a precision as `numeric(10,0)`.
  if (type instanceof DecimalType) return 'numeric';
  const mapped: unknown = typeof type === 'function' ? new (type as new () => unknown)() : type;
  if (!(mapped instanceof Type)) return String(type);
  // A number that the database makes has a type of its own in a table only, such as `serial`.
  const ofValues = { ...property, autoincrement: false } as unknown as EntityProperty;
  return mapped.getColumnType(ofValues, platform);
}

/** A type can ask for the text, because a number keeps fewer digits. */
function isReadAsNumber(declared: unknown, type: string): boolean {
  if (declared instanceof DecimalType) return declared.mode === 'number';
  if (declared instanceof BigIntType) return declared.mode !== 'string';
  return type === 'bigint' || type === 'numeric';
}

function nameOf(entity: EntityName): string {
  return EntitySchema.is(entity) ? entity.meta.className : entity.name;
}
