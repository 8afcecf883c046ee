import {
  BigIntType,
  type Collection,
  DecimalType,
  type EntityName,
  LoadStrategy,
  type Primary,
  type PrimaryKeyProp,
} from '@mikro-orm/postgresql';
import { type Column, columns } from './entity-columns.js';
import { join, raw, Sql, sql } from './sql.js';

/**
 * The options of columns that hold ids, `text collate "C"` in migrations: comparing byte by byte costs less than
 * comparing by language. It is used as `@PrimaryKey({ ...ID })`, because a decorator writes its property's name into
 * the options that it is given.
 */
export const ID = Object.freeze({ type: 'text', collation: 'C' });

/** The type of `bigint` columns whose values stay far below 2^53. The program has them as numbers. */
export const BIG_NUMBER = new BigIntType('number');

/**
 * The options of `bigint generated always as identity`, with which the database numbers rows. It is used as
 * `@Property({ ...IDENTITY })`.
 */
export const IDENTITY = Object.freeze({
  type: BIG_NUMBER,
  columnType: 'bigint',
  generated: 'identity',
  autoincrement: true,
});

/** Keeps all digits of a number, where the ORM would declare the column as `numeric(10,0)`. */
class NumericType extends DecimalType<'number'> {
  override getColumnType(): string {
    return 'numeric';
  }
}

/** The type of `numeric` columns, such as costs. The program has them as numbers. */
export const DECIMAL_NUMBER = new NumericType('number');

/**
 * The options of relations that the database does not enforce, because a row may be kept longer than what it refers to:
 * `@ManyToOne(() => Subscription, { ...UNENFORCED })`. A join would leave such a row out, so the ORM reads the other
 * row with a separate query, and has null if that row is gone.
 */
export const UNENFORCED = Object.freeze({ createForeignKeyConstraint: false, strategy: LoadStrategy.SELECT_IN });

/** A related entity has an id, or says what its key is. */
type RelationName<Entity> = {
  [Name in keyof Entity & string]: NonNullable<Entity[Name]> extends { readonly id: string | number }
    ? Name
    : typeof PrimaryKeyProp extends keyof NonNullable<Entity[Name]>
      ? Name
      : never;
}[keyof Entity & string];

type ComputedName<Entity> = {
  [Name in keyof Entity & string]: NonNullable<Entity[Name]> extends (...given: never[]) => unknown
    ? Name
    : NonNullable<Entity[Name]> extends Collection<infer _>
      ? Name
      : never;
}[keyof Entity & string];

type IdOf<Related> = Related extends { readonly id: infer RelatedId }
  ? RelatedId
  : typeof PrimaryKeyProp extends keyof Related
    ? Primary<Related>
    : Related;

/** The driver reads large numbers as text. */
type ReadBy<Value> = Value extends bigint ? string : Value;

/**
 * An entity as a statement reads it: its columns, and the ids of the entities it refers to (`user` becomes `userId`).
 * `Computed` names members that are not columns, such as getters.
 */
export type RowOf<Entity, Computed extends keyof Entity = never> = {
  -readonly [Name in Exclude<keyof Entity & string, RelationName<Entity> | ComputedName<Entity> | Computed>]: ReadBy<
    Entity[Name]
  >;
} & {
  -readonly [Name in Exclude<RelationName<Entity>, Computed> as `${Name}Id`]: ReadBy<IdOf<Entity[Name]>>;
};

/** The values of a row that is to be written. */
type NewRow<Entity> = { [Name in keyof RowOf<Entity>]?: Given<RowOf<Entity>[Name]> | Sql };

/** A time may be given as text, because text can be finer than the milliseconds of a date. */
type Given<Value> = Value extends Date ? Date | string : Value;

/** The values of many rows are sent as arrays, so none of them can be SQL. */
type Exact<Row> = { [Name in keyof Row]: Exclude<Row[Name], Sql> };

/** SQL that replaces columns, by their names in rows. */
type Replacements<Entity> = { [Name in keyof RowOf<Entity>]?: Sql };

const lists = new WeakMap<object, Map<string, Sql>>();

/** Returns all columns of an entity except lazy ones, by their names in `RowOf`. */
export function columnsOf<Entity extends object>(entity: EntityName<Entity>, alias = ''): Sql {
  return listOf(entity, alias);
}

/** Returns the columns of an entity, some of them replaced, such as by null where a reader may not see the value. */
export function columnsWith<Entity extends object>(
  entity: EntityName<Entity>,
  instead: Replacements<Entity>,
  alias = '',
): Sql {
  const parts = columns(entity).map((column) => {
    const other = (instead as Record<string, Sql | undefined>)[column.name];
    return other ? sql`${other} as ${raw(`"${column.name}"`)}` : raw(selected(column, alias));
  });
  return join(parts, ', ');
}

/** Returns the given columns of an entity, by their names in `RowOf`. */
export function someColumnsOf<Entity extends object>(
  entity: EntityName<Entity>,
  only: readonly (keyof RowOf<Entity> & string)[],
  alias = '',
): Sql {
  return listOf(entity, alias, only);
}

/** Makes the columns and values of one new row: `insert into run ${newRow(Run, { … })}`. A value may be SQL itself. */
export function newRow<Entity extends object>(entity: EntityName<Entity>, values: NewRow<Entity>): Sql {
  const given = columns(entity).filter(({ name }) => name in values);
  return sql`(${names(given)}) values (${valuesOf(given, values)})`;
}

/**
 * Makes the columns and values of one new row for each row of the `from` that follows:
 * `insert into step ${selectedRow(Step, { runId: raw('id'), … })} from ended`.
 */
export function selectedRow<Entity extends object>(entity: EntityName<Entity>, values: NewRow<Entity>): Sql {
  const given = columns(entity).filter(({ name }) => name in values);
  return sql`(${names(given)}) select ${valuesOf(given, values)}`;
}

/**
 * Makes the values of a row into a `select` list with their types, for a row that a statement reads before it writes
 * it.
 */
export function typedRow<Entity extends object>(entity: EntityName<Entity>, values: NewRow<Entity>): Sql {
  const given = columns(entity).filter(({ name }) => name in values);
  const typed = given.map((column) => {
    const value = toStore(column, (values as Record<string, unknown>)[column.name]);
    return sql`${value}::${raw(column.type)} as ${raw(column.column)}`;
  });
  return join(typed, ', ');
}

/** Returns the column names of `insert into job (…) select …`. */
export function namesOf<Entity extends object>(
  entity: EntityName<Entity>,
  only: readonly (keyof RowOf<Entity> & string)[],
): Sql {
  return names(columns(entity).filter(({ name }) => (only as readonly string[]).includes(name)));
}

/**
 * Makes the columns and values of many new rows, which all have values for the same columns. One array is sent for each
 * column.
 */
export function newRows<Entity extends object>(
  entity: EntityName<Entity>,
  rows: readonly Exact<NewRow<Entity>>[],
): Sql {
  const given = columns(entity).filter(({ name }) => rows.length > 0 && name in rows[0]!);
  const values = given.map((column) => {
    const all = rows.map((row) => toStore(column, (row as Record<string, unknown>)[column.name]));
    return sql`${all}::${raw(column.type)}[]`;
  });
  return sql`(${names(given)}) select ${names(given)} from unnest(${join(values, ', ')}) as given (${names(given)})`;
}

/**
 * Makes rows with values for all columns, sent as one text of JSON. The statement stays the same when there are no
 * rows, and columns may be arrays.
 */
export function newJsonRows<Entity extends object>(entity: EntityName<Entity>, rows: readonly RowOf<Entity>[]): Sql {
  const all = columns(entity);
  const read = raw(all.map(({ name }) => `"${name}"`).join(', '));
  const typed = raw(all.map(({ name, type }) => `"${name}" ${type}`).join(', '));
  return sql`(${names(all)}) select ${read} from json_to_recordset(${JSON.stringify(rows)}::json) as given (${typed})`;
}

function listOf(entity: EntityName, alias: string, only?: readonly string[]): Sql {
  const ofEntity = lists.get(entity) ?? new Map<string, Sql>();
  lists.set(entity, ofEntity);
  const key = [alias, ...(only ?? [])].join(' ');
  const wanted = () => columns(entity).filter(({ name, isLazy }) => (only ? only.includes(name) : !isLazy));
  const list = () =>
    raw(
      wanted()
        .map((column) => selected(column, alias))
        .join(', '),
    );
  const made = ofEntity.get(key) ?? list();
  ofEntity.set(key, made);
  return made;
}

function valuesOf(given: readonly Column[], values: object): Sql {
  const value = (column: Column) => sql`${toStore(column, (values as Record<string, unknown>)[column.name])}`;
  return join(given.map(value), ', ');
}

/** The driver would send a list as a PostgreSQL array, so JSON is serialized here. */
function toStore({ isJson }: Column, value: unknown): unknown {
  return isJson && value !== null && !(value instanceof Sql) ? JSON.stringify(value) : value;
}

function selected({ name, column, isReadAsNumber }: Column, alias: string): string {
  return `${alias && `${alias}.`}${column}${isReadAsNumber ? '::float8' : ''} as "${name}"`;
}

function names(of: readonly Column[]): Sql {
  return raw(of.map(({ column }) => column).join(', '));
}
