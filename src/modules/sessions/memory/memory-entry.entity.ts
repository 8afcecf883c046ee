import { Entity, Enum, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, PrimaryKeyProp } from '@mikro-orm/postgresql';
import { NotAudited } from '../../../platform/audit/audited.js';
import { BIG_NUMBER, type RowOf } from '../../../platform/database/columns.js';
import { MemoryEntryRepository } from './memory-entry.repository.js';
import { Session } from '../session.entity.js';

const MEMORY_KINDS = ['summary', 'user', 'model', 'tool', 'answer'] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

/** A message, tool call or summary that a session remembers of a turn. */
@NotAudited('Entries are parts of a conversation, and are deleted with its session')
@Entity({ tableName: 'session_memory', repository: () => MemoryEntryRepository })
export class MemoryEntry {
  [EntityRepositoryType]?: MemoryEntryRepository;
  [PrimaryKeyProp]?: ['session', 'turn', 'step'];

  @ManyToOne(() => Session, { primary: true, deleteRule: 'cascade', updateRule: 'no action' })
  readonly session!: Session;

  /** The number of the run. A summary of earlier turns has 0. */
  @PrimaryKey({ type: BIG_NUMBER })
  readonly turn!: number;

  @PrimaryKey({ type: 'integer' })
  readonly step!: number;

  @Enum({ type: 'text', items: MEMORY_KINDS })
  readonly kind!: MemoryKind;

  @Property({ type: 'text' })
  readonly content!: string;

  @Property({ type: 'integer' })
  readonly tokens!: number;

  protected constructor() {}
}

export type MemoryEntryRow = RowOf<MemoryEntry>;
