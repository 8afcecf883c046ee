import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { type Live, LiveVersions } from '../tenancy/tenancy.port.js';
import { ActivationRepository } from './activation.repository.js';

/** What is live in an environment is the version that is active there. */
@Injectable()
export class ActiveVersions extends LiveVersions {
  constructor(private readonly activations: ActivationRepository) {
    super();
  }

  async liveIn(envIds: readonly Id<'environment'>[]): Promise<ReadonlyMap<Id<'environment'>, Live>> {
    const active = await this.activations.nowIn(envIds);
    return new Map(
      active.map(({ environment, version }) => [environment.id, { agentId: version.agent.id, versionId: version.id }]),
    );
  }
}
