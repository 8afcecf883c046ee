import { Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { Audited, clock, ID, type Id, newId, Project } from 'slipway/plugin';
import { KnowledgeBaseRepository } from './knowledge-base.repository.js';

@Audited({ kind: 'knowledgeBase', project: 'project' })
@Entity({ tableName: 'acme_knowledge_base', repository: () => KnowledgeBaseRepository })
@Index({ name: 'acme_knowledge_base_project', properties: ['project', 'id'] })
@Unique({
  name: 'acme_knowledge_base_name',
  expression: 'create unique index acme_knowledge_base_name on acme_knowledge_base (project_id, lower(name))',
})
export class KnowledgeBase {
  [EntityRepositoryType]?: KnowledgeBaseRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'knowledgeBase'> = newId('knowledgeBase');

  @ManyToOne(() => Project, { deleteRule: 'cascade' })
  readonly project: Project;

  @Property({ type: 'text' })
  readonly name: string;

  /** The number of words when they were last counted. */
  @Property({ type: 'integer', nullable: true })
  words: number | null = null;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  constructor(project: Project, name: string) {
    this.project = project;
    this.name = name;
  }
}
