import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CallingKey, data, type Id, type KeyActor, mapPage, page, PathId, Route } from 'slipway/plugin';
import { knowledgeBaseList, type KnowledgeBasesRequest } from './knowledge-base.list.js';
import { knowledgeErrors } from './knowledge.errors.js';
import { CreateKnowledgeBase, KnowledgeBaseGone, KnowledgeBaseView, toKnowledgeBaseView } from './knowledge.schema.js';
import { KnowledgeService } from './knowledge.service.js';

@ApiTags('Knowledge bases')
@Controller()
export class KnowledgeController {
  constructor(private readonly knowledge: KnowledgeService) {}

  @Route('POST /api/v1/knowledge-bases', {
    access: 'KNOWLEDGE_WRITE',
    summary: 'Create a knowledge base',
    returns: data(KnowledgeBaseView),
    status: 201,
    errors: [knowledgeErrors.duplicateName, knowledgeErrors.tooMany],
  })
  async create(@CallingKey() actor: KeyActor, @Body({ schema: CreateKnowledgeBase }) body: CreateKnowledgeBase) {
    return toKnowledgeBaseView(await this.knowledge.create(actor, actor.projectId, body.name));
  }

  @Route('GET /api/v1/knowledge-bases', {
    access: 'KNOWLEDGE_READ',
    summary: 'List the knowledge bases of the project, by default oldest first',
    returns: page(KnowledgeBaseView),
  })
  async list(@CallingKey() actor: KeyActor, @Query({ schema: knowledgeBaseList.query }) query: KnowledgeBasesRequest) {
    return mapPage(await this.knowledge.list(actor.projectId, query), toKnowledgeBaseView);
  }

  @Route('GET /api/v1/knowledge-bases/{knowledgeBaseId}', {
    access: 'KNOWLEDGE_READ',
    summary: 'Read a knowledge base',
    returns: data(KnowledgeBaseView),
    errors: [knowledgeErrors.notFound],
  })
  async read(@CallingKey() actor: KeyActor, @PathId('knowledgeBase') knowledgeBaseId: Id<'knowledgeBase'>) {
    return toKnowledgeBaseView(await this.knowledge.read(actor.projectId, knowledgeBaseId));
  }

  @Route('DELETE /api/v1/knowledge-bases/{knowledgeBaseId}', {
    access: 'KNOWLEDGE_WRITE',
    summary: 'Delete a knowledge base',
    returns: data(KnowledgeBaseGone),
    errors: [knowledgeErrors.notFound],
  })
  async delete(@CallingKey() actor: KeyActor, @PathId('knowledgeBase') knowledgeBaseId: Id<'knowledgeBase'>) {
    return this.knowledge.delete(actor, actor.projectId, knowledgeBaseId).then(() => ({ knowledgeBaseId }));
  }
}
