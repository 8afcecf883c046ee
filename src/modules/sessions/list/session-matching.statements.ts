import type { Id } from '../../../kernel/ids.js';
import type { Span } from '../../../kernel/spans.js';
import { join, raw, type Sql, sql } from '../../../platform/database/sql.js';

/** A filter for sessions of an app that began in a span of time. */
export interface Matching extends Span {
  projectId: Id<'project'>;
  appId: Id<'app'>;
  environment: string | undefined;
  source: string | undefined;
  /** The references match few sessions, so there are no sums by them. */
  userReference: string | undefined;
  reference: string | undefined;
}

export function hasReference({ userReference, reference }: Matching): boolean {
  return userReference !== undefined || reference !== undefined;
}

/** The condition on the columns that sessions and their sums have in common. */
export function matchingEnvironment({ projectId, appId, environment, source }: Matching): Sql {
  return equal({ project_id: projectId, app_id: appId, environment, source });
}

/** The condition on sessions, without the span of time. */
export function matchingRows(matching: Matching): Sql {
  const { userReference, reference } = matching;
  if (!hasReference(matching)) return matchingEnvironment(matching);
  return sql`${matchingEnvironment(matching)} and ${equal({ user_reference: userReference, reference })}`;
}

function equal(wanted: Record<string, string | undefined>): Sql {
  const conditions = Object.entries(wanted)
    .filter(([, value]) => value !== undefined)
    .map(([column, value]) => sql`${raw(column)} = ${value}`);
  return join(conditions, ' and ');
}
