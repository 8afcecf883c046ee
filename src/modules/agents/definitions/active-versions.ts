import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import { Database } from '../../../platform/database/database.js';
import { type Live, LiveVersions } from '../../tenancy/tenancy.port.js';
import { ActivationRepository } from './activation.repository.js';

/** What is live in an environment is the version that is active there. */
@Injectable()
export class ActiveVersions extends LiveVersions {
  constructor(
    private readonly database: Database,
    private readonly activations: ActivationRepository,
  ) {
    super();
  }

  async liveIn(envIds: readonly Id<'environment'>[]): Promise<ReadonlyMap<Id<'environment'>, Live>> {
    const active = await this.database.ask(this.activations.activeIn(envIds));
    return new Map(active.map(({ environmentId, agentId, versionId }) => [environmentId, { agentId, versionId }]));
  }
}
