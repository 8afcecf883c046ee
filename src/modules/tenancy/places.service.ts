import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { planned } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import { type EnvironmentName, toEnvironmentName } from './environment-names.js';
import { tenancyErrors } from './tenancy.errors.js';

/** An environment of an app, and whose it is. */
export interface Place {
  projectId: Id<'project'>;
  appId: Id<'app'>;
  environment: EnvironmentName;
  envId: Id<'environment'>;
}

/** Where things happen: asked with every session and message, so without the entities. */
@Injectable()
export class Places {
  constructor(private readonly statements: Statements) {}

  /** Refuses where there is no such app, or no such environment of it. */
  async of(appId: Id<'app'>, envName: string): Promise<Place> {
    const [place] = await this.statements.run<Omit<Place, 'envId'> & { envId: Place['envId'] | null }>(
      planned`select a.project_id as "projectId", a.id as "appId", e.name as environment, e.id as "envId"
              from app a left join environment e on e.app_id = a.id and e.name = ${toEnvironmentName(envName) ?? null}
              where a.id = ${appId}`,
    );
    if (!place) throw authErrors.appNotFound();
    const { envId } = place;
    if (!envId) throw tenancyErrors.environmentNotFound();
    return { ...place, envId };
  }
}
