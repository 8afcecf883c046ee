import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import { Database } from '../../../platform/database/database.js';
import { type LiveVersion, LiveVersions } from '../../tenancy/tenancy.port.js';
import { ActivationRepository } from './activation.repository.js';

/** Tells the tenancy module which version is live in an environment: the one that is active there. */
@Injectable()
export class ActiveVersions extends LiveVersions {
  constructor(
    private readonly database: Database,
    private readonly activations: ActivationRepository,
  ) {
    super();
  }

  async liveIn(envIds: readonly Id<'environment'>[]): Promise<ReadonlyMap<Id<'environment'>, LiveVersion>> {
    const active = await this.database.ask(this.activations.activeIn(envIds));
    return new Map(active.map(({ environmentId, agentId, versionId }) => [environmentId, { agentId, versionId }]));
  }
}
