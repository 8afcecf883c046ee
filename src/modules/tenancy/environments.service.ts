import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import type { Statement } from '../../platform/database/statement.js';
import { type EnvironmentName, toEnvironmentName } from './app.entity.js';
import { type AppWithEnvironment, EnvironmentRepository } from './environment.repository.js';
import { tenancyErrors } from './tenancy.errors.js';

export type { AppWithEnvironment } from './environment.repository.js';

/** The environment of an app, with the ids of the app and its project. */
export interface EnvironmentRef {
  projectId: Id<'project'>;
  appId: Id<'app'>;
  environment: EnvironmentName;
  envId: Id<'environment'>;
}

/** Finds environments. It reads plain rows, because every session and message asks. */
@Injectable()
export class Environments {
  constructor(private readonly environments: EnvironmentRepository) {}

  /** Refuses if there is no such app, or the app has no such environment. */
  ref(appId: Id<'app'>, envName: string): Statement<EnvironmentRef> {
    return this.environments.ref(appId, toEnvironmentName(envName) ?? null).as(toEnvironmentRef);
  }
}

/** Refuses as `ref` does. Callers whose own statement has already read the app and its environment use this. */
export function toEnvironmentRef(found: AppWithEnvironment | null): EnvironmentRef {
  if (!found) throw authErrors.appNotFound();
  if (!found.envId) throw tenancyErrors.environmentNotFound();
  const { projectId, appId, environment, envId } = found;
  return { projectId, appId, environment, envId };
}
