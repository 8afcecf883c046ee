import {
  BigIntType,
  DecimalType,
  type EntityMetadata,
  type EntityName,
  type EntityProperty,
  EntitySchema,
  MetadataStorage,
  ReferenceKind,
  UnderscoreNamingStrategy,
} from '@mikro-orm/postgresql';
import { StartError } from '../../kernel/start-error.js';
import { columnTypeOf, type DeclaredType } from './column-type.js';
import { classOf } from './entity-mark.js';

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
interface Declared
  extends DeclaredType, Pick<EntityProperty, 'persist' | 'mappedBy' | 'formula' | 'nullable' | 'lazy' | 'primary'> {
  /** Properties of `defineEntity` that are no relations have none. */
  kind?: ReferenceKind;
  entity?: () => EntityName;
  fieldName?: string;
  joinColumn?: string;
  /**
   * The columns of a relation with a composite key. In every entity whose rows are read, those before the last are
   * relations of their own.
   */
  joinColumns?: string[];
}

const naming = new UnderscoreNamingStrategy();
const known = new WeakMap<object, readonly Column[]>();

/** Returns all columns of an entity. */
export function columns(entity: EntityName): readonly Column[] {
  const before = known.get(entity);
  if (before) return before;
  const stored = Object.entries(declaredBy(entity)).filter(([, property]) => isStored(property));
  if (stored.length === 0) throw new Error(`${classOf(entity).name} is not declared as an entity with columns`);
  const made = stored.map(([name, property]) => toColumn(entity, name, property));
  known.set(entity, made);
  return made;
}

/** Returns the column of a property, its type, and whether it may be null. */
export function columnOf(entity: EntityName, property: string): Readonly<Column> {
  const column = columns(entity).find(({ name }) => name === property);
  if (!column) throw new StartError(`${classOf(entity).name} has no column for ${property}.`);
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

function toColumn(entity: EntityName, name: string, property: Declared): Column {
  const { kind = ReferenceKind.SCALAR, fieldName, joinColumn, joinColumns, lazy: isLazy = false } = property;
  const isNullable = property.nullable === true;
  if (kind !== ReferenceKind.SCALAR) {
    const key = keyOf(property.entity!());
    const column = joinColumn ?? joinColumns?.at(-1) ?? fieldName ?? naming.joinKeyColumnName(name, key.column);
    return { ...key, name: `${name}Id`, column, isLazy, isNullable };
  }
  const valueClass = classOfValues(entity, name);
  const isTyped = property.type !== undefined || property.enum;
  const type = columnTypeOf(isTyped ? property : { ...property, type: valueClass });
  if (type === undefined)
    throw new StartError(`The member ${name} of ${classOf(entity).name} needs a type of its column.`);
  return {
    name,
    column: fieldName ?? naming.propertyToColumnName(name),
    type,
    isReadAsNumber: isReadAsNumber(property.type, valueClass, type),
    isJson: type === 'json' || type === 'jsonb',
    isLazy,
    isNullable,
  };
}

/** Returns the column to which a relation refers. */
function keyOf(entity: EntityName): Column {
  const [name, property] = Object.entries(declaredBy(entity)).findLast(([, { primary }]) => primary)!;
  return toColumn(entity, name, property);
}

/** The class of a property's values, which TypeScript notes beside a decorator. */
function classOfValues(entity: EntityName, name: string): unknown {
  return Reflect.getMetadata('design:type', classOf(entity).prototype, name);
}

/** The driver reads large numbers as text, because a number of JavaScript keeps fewer digits. */
function isReadAsNumber(declared: unknown, valueClass: unknown, type: string): boolean {
  if (type !== 'bigint' && type !== 'numeric') return false;
  const hasMode = declared instanceof BigIntType || declared instanceof DecimalType;
  return valueClass === Number || (hasMode && declared.mode === 'number');
}
