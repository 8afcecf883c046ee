import { Injectable } from '@nestjs/common';
import { AgentActivated, type JobRun, OnEvent } from 'slipway/plugin';
import { KnowledgeService } from './knowledge.service.js';

/** Gives a project its first knowledge base when an agent begins to answer in it. */
@Injectable()
export class FirstKnowledgeBase {
  constructor(private readonly knowledge: KnowledgeService) {}

  @OnEvent(AgentActivated, { durable: true })
  async create({ projectId }: AgentActivated, job: JobRun<AgentActivated>): Promise<void> {
    await job.finish((tx) => this.knowledge.createFirst(tx.actor, projectId));
  }
}
