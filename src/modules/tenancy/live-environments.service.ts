import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import type { Environment } from './app.entity.js';
import { type Live, LiveVersions } from './tenancy.port.js';
import { TenancyService } from './tenancy.service.js';

export interface SeenEnvironment {
  environment: Environment;
  /** Nothing where nobody answers. */
  live: Live | undefined;
}

/** The environments of an app, with what is live in them. */
@Injectable()
export class LiveEnvironments {
  constructor(
    private readonly tenancy: TenancyService,
    private readonly versions: LiveVersions,
  ) {}

  async list(appId: Id<'app'>): Promise<SeenEnvironment[]> {
    return this.see(await this.tenancy.environments(appId));
  }

  async read(appId: Id<'app'>, envName: string): Promise<SeenEnvironment> {
    const [seen] = await this.see([await this.tenancy.environment(appId, envName)]);
    return seen!;
  }

  private async see(environments: readonly Environment[]): Promise<SeenEnvironment[]> {
    const live = await this.versions.liveIn(environments.map(({ id }) => id));
    return environments.map((environment) => ({ environment, live: live.get(environment.id) }));
  }
}
