import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import type { Actor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { AuditEntryRepository } from './audit-entry.repository.js';
import { NotAudited } from './audited.js';

export type Members = Record<string, unknown>;

/** Who changed what. Written once, and never changed. */
@NotAudited('It is the audit')
@Entity({ tableName: 'audit_entry', readonly: true, repository: () => AuditEntryRepository })
export class AuditEntry {
  [EntityRepositoryType]?: AuditEntryRepository;

  @PrimaryKey({ type: 'text' })
  readonly id!: Id<'auditEntry'>;

  @Property({ type: 'timestamptz' })
  readonly at!: Date;

  @Property({ type: 'text' })
  readonly actorId!: string;

  @Property({ type: 'text' })
  readonly actorKind!: Actor['kind'];

  @Property({ type: 'text' })
  readonly actorLabel!: string;

  @Property({ type: 'text', nullable: true })
  readonly requestId!: string | null;

  /** The route, or nothing where nobody asked. */
  @Property({ type: 'text', nullable: true })
  readonly operation!: string | null;

  @Property({ type: 'text' })
  readonly kind!: string;

  @Property({ type: 'text' })
  readonly targetId!: string;

  @Property({ type: 'text', nullable: true })
  readonly projectId!: string | null;

  @Property({ type: 'text' })
  readonly change!: 'created' | 'changed' | 'deleted';

  @Property({ type: 'json', nullable: true })
  readonly before!: Members | null;

  @Property({ type: 'json', nullable: true })
  readonly after!: Members | null;
}
