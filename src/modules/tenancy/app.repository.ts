import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { pageById } from '../../platform/database/page-by-id.js';
import { planned, sql } from '../../platform/database/sql.js';
import { exists, row, type Statement } from '../../platform/database/statement.js';
import type { App, EnvironmentName } from './app.entity.js';

/** An app, and one of its environments; null where the app has none of the name. */
export type AppWithEnvironment = { projectId: Id<'project'>; appId: Id<'app'> } & (
  { environment: EnvironmentName; envId: Id<'environment'> } | { environment: null; envId: null }
);

export class AppRepository extends EntityRepository<App> {
  byId(appId: Id<'app'>): Promise<App | null> {
    return this.findOne({ id: appId });
  }

  /** Locks the row until the commit. Rows that refer to it can be written meanwhile. Answers whether it exists. */
  lock(appId: Id<'app'>): Statement<boolean> {
    return exists(sql`select from app where id = ${appId} for no key update`);
  }

  withEnvironments(appId: Id<'app'>): Promise<App | null> {
    return this.findOne(
      { id: appId },
      { populate: ['environments'], populateOrderBy: { environments: { name: 'asc' } } },
    );
  }

  environmentRef(appId: Id<'app'>, name: EnvironmentName | null): Statement<AppWithEnvironment | null> {
    return row(
      planned`select a.project_id as "projectId", a.id as "appId", e.name as environment, e.id as "envId"
              from app a left join environment e on e.app_id = a.id and e.name = ${name}
              where a.id = ${appId}`,
    );
  }

  page(projectId: Id<'project'>, request: PageRequest): Promise<Page<App>> {
    return pageById<App>(this, { project: projectId }, request);
  }
}
