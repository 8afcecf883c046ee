import type { Id } from '../../../kernel/ids.js';
import type { Span } from '../../../kernel/spans.js';
import { join, raw, type Sql, sql } from '../../../platform/database/sql.js';

/** Sessions of an app that began in a span of time. */
export interface Matching extends Span {
  projectId: Id<'project'>;
  appId: Id<'app'>;
  environment: string | undefined;
  source: string | undefined;
  /** Filters that match few, of which there are no sums. */
  userReference: string | undefined;
  reference: string | undefined;
}

export function isOfFew({ userReference, reference }: Matching): boolean {
  return userReference !== undefined || reference !== undefined;
}

/** What sessions and their sums have in common. */
export function matchingEnvironment({ projectId, appId, environment, source }: Matching): Sql {
  return equal({ project_id: projectId, app_id: appId, environment, source });
}

/** The rows that match, whenever they began. */
export function matchingRows(matching: Matching): Sql {
  const { userReference, reference } = matching;
  if (!isOfFew(matching)) return matchingEnvironment(matching);
  return sql`${matchingEnvironment(matching)} and ${equal({ user_reference: userReference, reference })}`;
}

function equal(wanted: Record<string, string | undefined>): Sql {
  const conditions = Object.entries(wanted)
    .filter(([, value]) => value !== undefined)
    .map(([column, value]) => sql`${raw(column)} = ${value}`);
  return join(conditions, ' and ');
}
