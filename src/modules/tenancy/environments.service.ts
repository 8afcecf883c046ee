import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import type { Statement } from '../../platform/database/statement.js';
import { type EnvironmentName, toEnvironmentName } from './app.entity.js';
import { type AppWithEnvironment, EnvironmentRepository } from './environment.repository.js';
import { tenancyErrors } from './tenancy.errors.js';

export type { AppWithEnvironment } from './environment.repository.js';

/** Refers to an environment of an app, and says whose it is. */
export interface EnvironmentRef {
  projectId: Id<'project'>;
  appId: Id<'app'>;
  environment: EnvironmentName;
  envId: Id<'environment'>;
}

/** Finds environments for every session and message, so it reads plain rows. */
@Injectable()
export class Environments {
  constructor(private readonly environments: EnvironmentRepository) {}

  /** Refuses where there is no such app, or no such environment of it. */
  ref(appId: Id<'app'>, envName: string): Statement<EnvironmentRef> {
    return this.environments.ref(appId, toEnvironmentName(envName) ?? null).as(toEnvironmentRef);
  }
}

/** The same for who has found them along with something else. */
export function toEnvironmentRef(found: AppWithEnvironment | null): EnvironmentRef {
  if (!found) throw authErrors.appNotFound();
  if (!found.envId) throw tenancyErrors.environmentNotFound();
  const { projectId, appId, environment, envId } = found;
  return { projectId, appId, environment, envId };
}
