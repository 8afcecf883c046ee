import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { Audited, clock, ID, type Id, newId, Project } from 'slipway/plugin';
import { KnowledgeBase } from './knowledge-base.entity.js';
import { KnowledgeDocumentRepository } from './knowledge-document.repository.js';

export interface NewKnowledgeDocument {
  title: string;
  text: string;
}

@Audited({ kind: 'knowledgeDocument', project: 'project', secrets: ['text'] })
@Entity({ tableName: 'acme_knowledge_document', repository: () => KnowledgeDocumentRepository })
@Index({
  name: 'acme_knowledge_document_title',
  expression: 'create index acme_knowledge_document_title on acme_knowledge_document (base_id, lower(title), id)',
})
@Index({ name: 'acme_knowledge_document_age', properties: ['project', 'createdAt'] })
@Index({
  name: 'acme_knowledge_document_words',
  expression: `create index acme_knowledge_document_words on acme_knowledge_document using gin (to_tsvector('simple', text))`,
})
export class KnowledgeDocument {
  [EntityRepositoryType]?: KnowledgeDocumentRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'knowledgeDocument'> = newId('knowledgeDocument');

  /** The project of the knowledge base, by which its period of retention is known. */
  @ManyToOne(() => Project, { deleteRule: 'cascade' })
  readonly project: Project;

  @ManyToOne(() => KnowledgeBase, { deleteRule: 'cascade' })
  readonly base: KnowledgeBase;

  @Property({ type: 'text' })
  readonly title: string;

  @Property({ type: 'text' })
  readonly text: string;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  constructor(base: KnowledgeBase, { title, text }: NewKnowledgeDocument) {
    this.project = base.project;
    this.base = base;
    this.title = title;
    this.text = text;
  }
}
