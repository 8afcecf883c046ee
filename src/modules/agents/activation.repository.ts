import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Activation } from './activation.entity.js';
import type { Agent } from './agent.entity.js';

const HISTORY = 100;

export class ActivationRepository extends EntityRepository<Activation> {
  now(envId: Id<'environment'>): Promise<Activation | null> {
    return this.findOne({ environment: envId, endedAt: null }, { populate: ['version.agent'] });
  }

  /** Newest first. */
  history(envId: Id<'environment'>): Promise<Activation[]> {
    return this.find(
      { environment: envId },
      { orderBy: { number: 'desc' }, limit: HISTORY, populate: ['version.agent'] },
    );
  }

  /** Where an agent is active now. */
  ofAgent(agent: Agent): Promise<Activation[]> {
    return this.find({ version: { agent }, endedAt: null }, { populate: ['environment'] });
  }
}
