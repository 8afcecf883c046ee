import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from 'slipway/plugin';
import type { KnowledgeDocument } from './knowledge-document.entity.js';

export class KnowledgeDocumentRepository extends EntityRepository<KnowledgeDocument> {
  /** Reads the next documents in the order of their ids, and keeps none of them in memory. */
  following(baseId: Id<'knowledgeBase'>, id: string, limit: number): Promise<KnowledgeDocument[]> {
    const options = { orderBy: { id: 'asc' }, limit, disableIdentityMap: true } as const;
    return this.find({ base: baseId, id: { $gt: id as Id<'knowledgeDocument'> } }, options);
  }
}
