import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module } from '@nestjs/common';
import { TenancyModule } from 'slipway/plugin';
import { CountKnowledgeWords } from './count-knowledge-words.js';
import { FirstKnowledgeBase } from './first-knowledge-base.js';
import { KnowledgeBase } from './knowledge-base.entity.js';
import { KnowledgeDocument } from './knowledge-document.entity.js';
import { KnowledgeDocumentsController } from './knowledge-documents.controller.js';
import { KnowledgeDocumentsService } from './knowledge-documents.service.js';
import { KnowledgeController } from './knowledge.controller.js';
import './knowledge.retention.js';
import { KnowledgeService } from './knowledge.service.js';

@Module({
  imports: [TenancyModule, MikroOrmModule.forFeature([KnowledgeBase, KnowledgeDocument])],
  controllers: [KnowledgeController, KnowledgeDocumentsController],
  providers: [KnowledgeService, KnowledgeDocumentsService, FirstKnowledgeBase, CountKnowledgeWords],
})
export class KnowledgeModule {}
