import { inOrder, type LockName } from '../../kernel/locks.js';
import type { Sql } from './sql.js';

/**
 * SQL, and what its rows mean. A statement is a value: nothing is sent before a `Transaction` or the `Database` is
 * asked, so a list of statements states the order in which they are sent.
 */
export class Statement<Answer> {
  constructor(
    readonly sql: Sql,
    readonly read: (rows: object[]) => Answer,
    /**
     * The locks that the statement takes until the commit. The transaction refuses the statement if one of them comes
     * too late in the order of locks.
     */
    readonly locks: readonly LockName[] = [],
  ) {}

  /** Returns the same statement with its answer in another form. */
  as<Other>(form: (answer: Answer) => Other): Statement<Other> {
    return new Statement(this.sql, (rows) => form(this.read(rows)), this.locks);
  }

  /** Returns the same statement, declared to take these locks, in this order. */
  taking(...locks: LockName[]): Statement<Answer> {
    return new Statement(this.sql, this.read, [...this.locks, ...locks]);
  }
}

/**
 * Combines several writes in one statement, which costs less than sending each. The answer is that of `main`. None of
 * the writes may depend on another one, because all see the database as it was before.
 */
export function asOne<Answer>(writes: readonly Statement<unknown>[], main: Statement<Answer>): Statement<Answer> {
  if (writes.length === 0) return main;
  const together = main.sql.behind(writes.map(({ sql }) => sql));
  const locks = [...writes, main].flatMap((statement) => statement.locks);
  return new Statement(together, main.read, inOrder(locks));
}

/** The answers of several statements, in their order. */
export type Answers<Asked extends readonly Statement<unknown>[]> = {
  [At in keyof Asked]: Asked[At] extends Statement<infer Answer> ? Answer : never;
};

/** Answers with all rows. */
export function rows<Row extends object>(query: Sql): Statement<Row[]> {
  return new Statement(query, (found) => found as Row[]);
}

/** Answers with the first row, or null where there is none. */
export function row<Row extends object>(query: Sql): Statement<Row | null> {
  return new Statement(query, (found) => (found[0] as Row | undefined) ?? null);
}

/** Answers with the one row that the statement always has. */
export function theRow<Row extends object>(query: Sql): Statement<Row> {
  return new Statement(query, (found) => found[0] as Row);
}

/** Answers whether the statement found or changed a row. */
export function exists(query: Sql): Statement<boolean> {
  return new Statement(query, (found) => found.length > 0);
}

/** Answers with nothing. */
export function write(query: Sql): Statement<void> {
  return new Statement(query, () => undefined);
}
