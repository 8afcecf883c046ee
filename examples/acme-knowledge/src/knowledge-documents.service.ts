import { Injectable } from '@nestjs/common';
import { type Actor, Database, type Id, Jobs, Metrics, type Page } from 'slipway/plugin';
import type { KnowledgeBase } from './knowledge-base.entity.js';
import { KnowledgeDocument, type NewKnowledgeDocument } from './knowledge-document.entity.js';
import { knowledgeDocumentList, type KnowledgeDocumentsRequest } from './knowledge-document.list.js';
import { KnowledgeDocumentRepository } from './knowledge-document.repository.js';
import { countKnowledgeWords } from './knowledge.jobs.js';
import { documentsAdded } from './knowledge.metrics.js';
import { KnowledgeService } from './knowledge.service.js';

@Injectable()
export class KnowledgeDocumentsService {
  constructor(
    private readonly database: Database,
    private readonly knowledge: KnowledgeService,
    private readonly documents: KnowledgeDocumentRepository,
    private readonly jobs: Jobs,
    private readonly metrics: Metrics,
  ) {}

  async create(
    actor: Actor,
    projectId: Id<'project'>,
    baseId: Id<'knowledgeBase'>,
    input: NewKnowledgeDocument,
  ): Promise<KnowledgeDocument> {
    const document = await this.database.transaction(actor, async (tx) => {
      const added = new KnowledgeDocument(await this.knowledge.hold(projectId, baseId), input);
      tx.em.persist(added);
      return added;
    });
    this.metrics.count(documentsAdded, 1);
    return document;
  }

  async list(
    projectId: Id<'project'>,
    baseId: Id<'knowledgeBase'>,
    request: KnowledgeDocumentsRequest,
  ): Promise<Page<KnowledgeDocument>> {
    const base = await this.knowledge.read(projectId, baseId);
    return knowledgeDocumentList.page(this.documents, { base }, request);
  }

  countWords(actor: Actor, projectId: Id<'project'>, baseId: Id<'knowledgeBase'>): Promise<KnowledgeBase> {
    return this.database.transaction(actor, async (tx) => {
      const base = await this.knowledge.read(projectId, baseId);
      await this.jobs.add(tx, countKnowledgeWords, { knowledgeBaseId: base.id }, { lane: base.id, projectId });
      return base;
    });
  }
}
