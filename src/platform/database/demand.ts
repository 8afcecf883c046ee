import { raw, type Sql, sql } from './sql.js';

/**
 * Makes a statement fail, and so its transaction, if the condition does not hold. The commit can then be sent in the same
 * packet as the statement, because it becomes a rollback by itself.
 */
export function demand(condition: Sql, name: string): Sql {
  // The text is no boolean. PostgreSQL finds out only when it gets there, because `concat` is not a constant.
  return sql`case when ${condition} then true else concat(${raw(`'${textOf(name)}'`)})::boolean end`;
}

/** Whether a statement failed because what it demanded by this name did not hold. */
export function isUnmet(error: unknown, name: string): boolean {
  return error instanceof Error && error.message.includes(textOf(name));
}

function textOf(name: string): string {
  return `slipway demands: ${name}`;
}
