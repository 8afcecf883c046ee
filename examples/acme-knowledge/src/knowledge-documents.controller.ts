import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CallingKey, data, type Id, type KeyActor, mapPage, page, PathId, Route } from 'slipway/plugin';
import { knowledgeDocumentList, type KnowledgeDocumentsRequest } from './knowledge-document.list.js';
import {
  CreateKnowledgeDocument,
  KnowledgeDocumentView,
  toKnowledgeDocumentView,
} from './knowledge-documents.schema.js';
import { KnowledgeDocumentsService } from './knowledge-documents.service.js';
import { knowledgeErrors } from './knowledge.errors.js';
import { KnowledgeBaseView, toKnowledgeBaseView } from './knowledge.schema.js';

@ApiTags('Knowledge bases')
@Controller()
export class KnowledgeDocumentsController {
  constructor(private readonly documents: KnowledgeDocumentsService) {}

  @Route('POST /api/v1/knowledge-bases/{knowledgeBaseId}/documents', {
    access: 'KNOWLEDGE_WRITE',
    summary: 'Add a document to a knowledge base',
    returns: data(KnowledgeDocumentView),
    status: 201,
    errors: [knowledgeErrors.notFound],
  })
  async create(
    @CallingKey() actor: KeyActor,
    @PathId('knowledgeBase') knowledgeBaseId: Id<'knowledgeBase'>,
    @Body({ schema: CreateKnowledgeDocument }) body: CreateKnowledgeDocument,
  ) {
    return toKnowledgeDocumentView(await this.documents.create(actor, actor.projectId, knowledgeBaseId, body));
  }

  @Route('GET /api/v1/knowledge-bases/{knowledgeBaseId}/documents', {
    access: 'KNOWLEDGE_READ',
    summary: 'List the documents of a knowledge base by their titles',
    returns: page(KnowledgeDocumentView),
    errors: [knowledgeErrors.notFound],
  })
  async list(
    @CallingKey() actor: KeyActor,
    @PathId('knowledgeBase') knowledgeBaseId: Id<'knowledgeBase'>,
    @Query({ schema: knowledgeDocumentList.query }) query: KnowledgeDocumentsRequest,
  ) {
    return mapPage(await this.documents.list(actor.projectId, knowledgeBaseId, query), toKnowledgeDocumentView);
  }

  @Route('POST /api/v1/knowledge-bases/{knowledgeBaseId}/word-count', {
    access: 'KNOWLEDGE_WRITE',
    summary: 'Count the words of all documents',
    description: 'A job counts them. `words` of the knowledge base has the last count.',
    returns: data(KnowledgeBaseView),
    status: 202,
    errors: [knowledgeErrors.notFound],
  })
  async countWords(@CallingKey() actor: KeyActor, @PathId('knowledgeBase') knowledgeBaseId: Id<'knowledgeBase'>) {
    return toKnowledgeBaseView(await this.documents.countWords(actor, actor.projectId, knowledgeBaseId));
  }
}
