import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { pageById } from '../../platform/database/page-by-id.js';
import type { Agent, AgentVersion } from './agent.entity.js';

export class AgentVersionRepository extends EntityRepository<AgentVersion> {
  ofAgent(agent: Agent, versionId: Id<'agentVersion'>): Promise<AgentVersion | null> {
    return this.findOne({ id: versionId, agent }, { populate: ['agent'] });
  }

  /** None where the agent was deleted after it was read. */
  latest(agent: Agent): Promise<AgentVersion | null> {
    return this.findOne({ agent, number: agent.latestNumber }, { populate: ['agent'] });
  }

  page(agent: Agent, request: PageRequest): Promise<Page<AgentVersion>> {
    return pageById<AgentVersion>(this, { agent }, request, ['agent']);
  }
}
