import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from 'slipway/plugin';
import type { KnowledgeBase } from './knowledge-base.entity.js';

/** Every query names the project, so that rows of other projects are not found. */
export class KnowledgeBaseRepository extends EntityRepository<KnowledgeBase> {
  inProject(projectId: Id<'project'>, knowledgeBaseId: Id<'knowledgeBase'>): Promise<KnowledgeBase | null> {
    return this.findOne({ id: knowledgeBaseId, project: projectId });
  }

  /** Reads a knowledge base that another row is going to refer to. It is not deleted before that row is written. */
  hold(projectId: Id<'project'>, knowledgeBaseId: Id<'knowledgeBase'>): Promise<KnowledgeBase | null> {
    return this.findOne({ id: knowledgeBaseId, project: projectId }, { lockMode: LockMode.PESSIMISTIC_READ });
  }
}
