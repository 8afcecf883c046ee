import {
  type Dictionary,
  EnumType,
  type EntityProperty,
  PostgreSqlPlatform,
  Type,
  UnknownType,
  Utils,
} from '@mikro-orm/postgresql';

/** The members of a property that decide the type of its column. */
export interface DeclaredType {
  /** A name, a type of the ORM, or a class: that of a type, or that of the values. */
  type?: unknown;
  columnType?: string;
  enum?: boolean;
  items?: readonly unknown[] | (() => Dictionary);
  array?: boolean;
}

const platform = new PostgreSqlPlatform();

/** The names of PostgreSQL for types that the ORM calls otherwise. Texts of a limited length are texts, too. */
const NAMES: Readonly<Record<string, string>> = {
  int: 'integer',
  varchar: 'text',
  'character varying': 'text',
  decimal: 'numeric',
  int8: 'bigint',
  char: 'bpchar',
  character: 'bpchar',
  'timestamp with time zone': 'timestamptz',
};
/** With these names of JavaScript, the ORM knows nothing about the column. */
const ANYTHING = ['any', 'Object', 'RegExp', 'unknown'];

/** Returns the type of a column as statements write it, or undefined if the property does not say it. */
export function columnTypeOf(property: DeclaredType): string | undefined {
  const { columnType, array } = property;
  if (columnType !== undefined) return withoutLength(columnType);
  const type = valueTypeOf(property);
  return array && type !== undefined ? `${type}[]` : type;
}

function valueTypeOf(property: DeclaredType): string | undefined {
  const { type, enum: isEnum } = property;
  if (type === undefined)
    return isEnum ? typeIn(new EnumType(), { ...property, items: valuesOf(property) }) : undefined;
  if (type instanceof Type) return typeIn(type, property);
  if (typeof type !== 'function') return named(type as string, property);
  const isOfOrm = type.prototype instanceof Type;
  return isOfOrm ? typeIn(new (type as new () => Type)(), property) : named(type.name, property);
}

function named(name: string, property: DeclaredType): string | undefined {
  if (ANYTHING.includes(name)) return undefined;
  if (name.toLowerCase() === 'array') return 'text[]';
  if (name.endsWith('[]')) return `${named(name.slice(0, -2), property)}[]`;
  const type = platform.getDefaultMappedType(name === 'Date' ? 'datetime' : name);
  // PostgreSQL has more types than the ORM, such as `inet`.
  return type instanceof UnknownType ? withoutLength(name) : typeIn(type, property);
}

function typeIn(type: Pick<Type, 'getColumnType'>, property: DeclaredType): string {
  // A number that the database makes has a type of its own in a table only, such as `serial`.
  const ofValues = { ...property, autoincrement: false } as unknown as EntityProperty;
  return withoutLength(type.getColumnType(ofValues, platform));
}

/** A statement that names a length would cut longer values, where the column refuses them. */
function withoutLength(type: string): string {
  const name = type.replace(/ *\([^)]*\)/, '');
  return NAMES[name] ?? name;
}

function valuesOf({ items }: DeclaredType): readonly unknown[] | undefined {
  return typeof items === 'function' ? Utils.extractEnumValues(items()) : items;
}
