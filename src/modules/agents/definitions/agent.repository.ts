import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import type { Agent } from './agent.entity.js';

export class AgentRepository extends EntityRepository<Agent> {
  inApp(appId: Id<'app'>, agentId: Id<'agent'>): Promise<Agent | null> {
    return this.findOne({ id: agentId, app: appId });
  }

  inProject(projectId: Id<'project'>, agentId: Id<'agent'>): Promise<Agent | null> {
    return this.findOne({ id: agentId, app: { project: projectId } });
  }

  lockInApp(appId: Id<'app'>, agentId: Id<'agent'>): Promise<Agent | null> {
    return this.findOne({ id: agentId, app: appId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  /** Locks the agent, so that it is neither changed nor deleted before the commit. */
  lockSharedInApp(appId: Id<'app'>, agentId: Id<'agent'>): Promise<Agent | null> {
    return this.findOne({ id: agentId, app: appId }, { lockMode: LockMode.PESSIMISTIC_READ });
  }
}
