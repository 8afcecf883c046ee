import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import type { Environment } from './app.entity.js';
import { type LiveVersion, LiveVersions } from './tenancy.port.js';
import { TenancyService } from './tenancy.service.js';

export interface EnvironmentState {
  environment: Environment;
  /** Undefined if no version is live in the environment. */
  live: LiveVersion | undefined;
}

/** Reads the environments of an app with the versions that are live in them. */
@Injectable()
export class LiveEnvironments {
  constructor(
    private readonly tenancy: TenancyService,
    private readonly versions: LiveVersions,
  ) {}

  async list(appId: Id<'app'>): Promise<EnvironmentState[]> {
    return this.withLiveVersions(await this.tenancy.environments(appId));
  }

  async read(appId: Id<'app'>, envName: string): Promise<EnvironmentState> {
    const [state] = await this.withLiveVersions([await this.tenancy.environment(appId, envName)]);
    return state!;
  }

  private async withLiveVersions(environments: readonly Environment[]): Promise<EnvironmentState[]> {
    const live = await this.versions.liveIn(environments.map(({ id }) => id));
    return environments.map((environment) => ({ environment, live: live.get(environment.id) }));
  }
}
