import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module } from '@nestjs/common';
import { TenancyModule } from 'slipway/plugin';
import { FirstKnowledgeBase } from './first-knowledge-base.js';
import { KnowledgeBase } from './knowledge-base.entity.js';
import { KnowledgeController } from './knowledge.controller.js';
import { KnowledgeService } from './knowledge.service.js';

@Module({
  imports: [TenancyModule, MikroOrmModule.forFeature([KnowledgeBase])],
  controllers: [KnowledgeController],
  providers: [KnowledgeService, FirstKnowledgeBase],
})
export class KnowledgeModule {}
