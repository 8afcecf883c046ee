import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { planned, sql } from '../../platform/database/sql.js';
import { row, type Statement, write } from '../../platform/database/statement.js';
import type { Environment, EnvironmentName } from './app.entity.js';

/** An app, and one of its environments; null where the app has none of the name. */
export type AppWithEnvironment = { projectId: Id<'project'>; appId: Id<'app'> } & (
  { environment: EnvironmentName; envId: Id<'environment'> } | { environment: null; envId: null }
);

export class EnvironmentRepository extends EntityRepository<Environment> {
  /** Null where there is no such app. */
  ref(appId: Id<'app'>, name: EnvironmentName | null): Statement<AppWithEnvironment | null> {
    return row(
      planned`select a.project_id as "projectId", a.id as "appId", e.name as environment, e.id as "envId"
              from app a left join environment e on e.app_id = a.id and e.name = ${name}
              where a.id = ${appId}`,
    );
  }

  /** Locks the row until the commit. Rows that refer to it can be written meanwhile. */
  lock(envId: Id<'environment'>): Statement<void> {
    return write(sql`select from environment where id = ${envId} for no key update`);
  }
}
