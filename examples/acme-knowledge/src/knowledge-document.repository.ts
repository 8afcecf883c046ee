import { EntityRepository } from '@mikro-orm/postgresql';
import { type Id, planned, rows, type Statement } from 'slipway/plugin';
import type { KnowledgeDocument } from './knowledge-document.entity.js';

export interface CountedDocument {
  id: Id<'knowledgeDocument'>;
  text: string;
}

export class KnowledgeDocumentRepository extends EntityRepository<KnowledgeDocument> {
  /** Reads the next documents in the order of their ids. They are rows, because a job reads every document. */
  following(baseId: Id<'knowledgeBase'>, id: string, limit: number): Statement<CountedDocument[]> {
    return rows<CountedDocument>(
      planned`select id, text from acme_knowledge_document
              where base_id = ${baseId} and id > ${id} order by id limit ${limit}`,
    );
  }
}
