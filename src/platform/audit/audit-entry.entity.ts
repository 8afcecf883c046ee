import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import type { Actor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { AuditEntryRepository } from './audit-entry.repository.js';
import { NotAudited } from './audited.js';
import { ID } from '../database/columns.js';
import { InProject } from '../database/in-project.js';

export type Members = Record<string, unknown>;

/** The record of who changed what. It is written once and never changed. */
@NotAudited('Entries are the audit itself')
@InProject('auditEntry')
@Entity({ tableName: 'audit_entry', readonly: true, repository: () => AuditEntryRepository })
@Index({ name: 'audit_entry_project', properties: ['projectId', 'id'] })
@Index({ name: 'audit_entry_target', properties: ['targetId', 'id'] })
@Index({ name: 'audit_entry_actor', properties: ['actorId', 'id'] })
@Index({ name: 'audit_entry_at', properties: ['at'] })
@Index({ name: 'audit_entry_project_at', properties: ['projectId', 'at'] })
export class AuditEntry {
  [EntityRepositoryType]?: AuditEntryRepository;

  @PrimaryKey({ ...ID })
  readonly id!: Id<'auditEntry'>;

  @Property({ type: 'timestamptz' })
  readonly at!: Date;

  @Property({ ...ID })
  readonly actorId!: string;

  @Enum({ type: 'text', items: ['admin', 'key', 'jwtClient', 'system'] })
  readonly actorKind!: Actor['kind'];

  @Property({ type: 'text' })
  readonly actorLabel!: string;

  @Property({ ...ID, nullable: true })
  readonly requestId!: string | null;

  /** The route, or null if no request caused the change. */
  @Property({ type: 'text', nullable: true })
  readonly operation!: string | null;

  @Property({ type: 'text' })
  readonly kind!: string;

  @Property({ ...ID })
  readonly targetId!: string;

  @Property({ ...ID, nullable: true })
  readonly projectId!: string | null;

  @Enum({ type: 'text', items: ['created', 'changed', 'deleted'] })
  readonly change!: 'created' | 'changed' | 'deleted';

  @Property({ type: 'json', columnType: 'json', nullable: true })
  readonly before!: Members | null;

  @Property({ type: 'json', columnType: 'json', nullable: true })
  readonly after!: Members | null;
}
