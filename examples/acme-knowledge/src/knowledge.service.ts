import { Injectable } from '@nestjs/common';
import { type Actor, Database, Events, type Id, type Page, Settings, TenancyService } from 'slipway/plugin';
import { KnowledgeBase } from './knowledge-base.entity.js';
import { knowledgeBaseList, type KnowledgeBasesRequest } from './knowledge-base.list.js';
import { KnowledgeBaseRepository } from './knowledge-base.repository.js';
import { knowledgeErrors } from './knowledge.errors.js';
import { KnowledgeBaseCreated } from './knowledge.events.js';

const FIRST_NAME = 'Frequent questions';

@Injectable()
export class KnowledgeService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly bases: KnowledgeBaseRepository,
    private readonly settings: Settings,
    private readonly events: Events,
  ) {}

  create(actor: Actor, projectId: Id<'project'>, name: string): Promise<KnowledgeBase> {
    return this.database.transaction(actor, async (tx) => {
      const limit = this.settings.ACME_KNOWLEDGE_BASES;
      if ((await this.bases.count({ project: projectId })) >= limit) throw knowledgeErrors.tooMany({ limit });
      const base = new KnowledgeBase(await this.tenancy.project(projectId), name);
      tx.em.persist(base);
      await this.events.publish(tx, KnowledgeBaseCreated, { knowledgeBaseId: base.id, projectId });
      return base;
    });
  }

  /** Creates a knowledge base in a project that has none. */
  async createFirst(actor: Actor, projectId: Id<'project'>): Promise<void> {
    if ((await this.bases.count({ project: projectId })) === 0) await this.create(actor, projectId, FIRST_NAME);
  }

  list(projectId: Id<'project'>, request: KnowledgeBasesRequest): Promise<Page<KnowledgeBase>> {
    return knowledgeBaseList.page(this.bases, { project: projectId }, request);
  }

  async read(projectId: Id<'project'>, knowledgeBaseId: Id<'knowledgeBase'>): Promise<KnowledgeBase> {
    const base = await this.bases.inProject(projectId, knowledgeBaseId);
    if (!base) throw knowledgeErrors.notFound();
    return base;
  }

  async hold(projectId: Id<'project'>, knowledgeBaseId: Id<'knowledgeBase'>): Promise<KnowledgeBase> {
    const base = await this.bases.hold(projectId, knowledgeBaseId);
    if (!base) throw knowledgeErrors.notFound();
    return base;
  }

  async delete(actor: Actor, projectId: Id<'project'>, knowledgeBaseId: Id<'knowledgeBase'>): Promise<void> {
    await this.database.transaction(actor, async (tx) => {
      tx.em.remove(await this.read(projectId, knowledgeBaseId));
    });
  }
}
