import {
  Check,
  Entity,
  Enum,
  Index,
  ManyToOne,
  OneToMany,
  PrimaryKey,
  Property,
  Unique,
} from '@mikro-orm/decorators/legacy';
import { Collection, EntityRepositoryType, PrimaryKeyProp } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { NotAudited } from '../../platform/audit/audited.js';
import { BIG_NUMBER, DECIMAL_NUMBER, ID, type RowOf, UNENFORCED } from '../../platform/database/columns.js';
import { File } from '../files/file.entity.js';
import { App, Environment, type EnvironmentName } from '../tenancy/app.entity.js';
import { Project } from '../tenancy/project.entity.js';
import { AttachmentRepository } from './attachments/attachment.repository.js';
import { SessionRepository } from './session.repository.js';
import { User } from './user.entity.js';

const SESSION_STATUSES = ['started', 'idle', 'busy', 'error', 'terminated'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];
export const END_REASONS = ['terminated', 'expired', 'erased'] as const;
export type EndReason = (typeof END_REASONS)[number];

/** The record of a conversation between a user and the agent of an app's environment, without its content. */
@NotAudited('Sessions of users are not configuration')
@Entity({ tableName: 'session', repository: () => SessionRepository })
@Unique({
  name: 'session_live',
  properties: ['app', 'environment', 'reference'],
  where: 'ended_at is null and reference is not null',
})
@Index({
  name: 'session_list_covering',
  properties: ['app', 'createdAt', 'id'],
  include: ['project', 'environment', 'source'],
})
@Index({
  name: 'session_reference',
  properties: ['app', 'reference', 'createdAt'],
  where: 'reference is not null',
})
@Index({ name: 'session_of_user', properties: ['app', 'userReference', 'createdAt'] })
@Index({ name: 'session_of_user_id', properties: ['user'] })
@Index({ name: 'session_open', properties: ['activePart'], where: '(ended_at is null) is true' })
@Index({ name: 'session_age_of_project', properties: ['project', 'endedAt'], where: 'ended_at is not null' })
@Check({ expression: `(ended_at is null) = (status <> 'terminated')` })
@Check({ name: 'session_check1', expression: 'closed_at is null or ended_at is not null' })
export class Session {
  [EntityRepositoryType]?: SessionRepository;

  @PrimaryKey({ ...ID })
  readonly id!: Id<'session'>;

  @ManyToOne(() => Project, { ...UNENFORCED })
  readonly project!: Project;

  @ManyToOne(() => App, { deleteRule: 'cascade' })
  readonly app!: App;

  @Property({ type: 'text' })
  readonly environment!: EnvironmentName;

  @ManyToOne(() => Environment, { ...UNENFORCED })
  readonly env!: Environment;

  @Property({ ...ID, nullable: true })
  readonly reference!: string | null;

  @ManyToOne(() => User, { ...UNENFORCED })
  readonly user!: User;

  @Property({ ...ID })
  readonly userReference!: string;

  @Property({ ...ID })
  readonly source!: string;

  @Enum({ type: 'text', items: SESSION_STATUSES })
  readonly status!: SessionStatus;

  @Property({ ...ID, nullable: true })
  readonly appVersionId!: Id<'agentVersion'> | null;

  /** The latest run. Before the first one, it is an id made for the welcome message. */
  @Property({ ...ID })
  readonly runId!: Id<'agentRun'>;

  @Property({ type: 'timestamptz' })
  readonly createdAt!: Date;

  @Property({ type: 'timestamptz' })
  readonly lastActivityAt!: Date;

  /**
   * The start of the ten minutes in which the session was active last, by which idle sessions are found. An index on
   * `lastActivityAt` would make each turn write an entry of every index of the table, because its column has changed.
   */
  @Property({ type: 'timestamptz', defaultRaw: 'now()', lazy: true })
  readonly activePart!: Date;

  @Property({ type: 'timestamptz', nullable: true })
  readonly endedAt!: Date | null;

  @Property({ type: 'text', nullable: true })
  readonly endReason!: EndReason | null;

  /** The time at which the memory was replaced by the summary. */
  @Property({ type: 'timestamptz', nullable: true })
  readonly closedAt!: Date | null;

  @Property({ type: 'text', nullable: true })
  readonly farewell!: string | null;

  @Property({ type: 'text', nullable: true })
  readonly summary!: string | null;

  @Property({ type: 'integer', default: 0 })
  readonly turns!: number;

  @Property({ type: 'integer', default: 0 })
  readonly llmCalls!: number;

  @Property({ type: BIG_NUMBER, defaultRaw: '0' })
  readonly inputTokens!: number;

  @Property({ type: BIG_NUMBER, defaultRaw: '0' })
  readonly outputTokens!: number;

  @Property({ type: DECIMAL_NUMBER, default: 0 })
  readonly cost!: number;

  @Property({ type: BIG_NUMBER, defaultRaw: '0' })
  readonly latencyMs!: number;

  @OneToMany(() => Attachment, (attachment) => attachment.session, { orderBy: { number: 'asc' } })
  readonly attachments = new Collection<Attachment>(this);

  /**
   * Sessions are only written by statements of their repository, because many requests may want the same one at once.
   */
  protected constructor() {}
}

export type SessionRow = RowOf<Session>;

/** The link of a file to a session. It copies what is known of the file, which may be deleted before the session. */
@NotAudited('Files that users attach are not configuration')
@Entity({ tableName: 'session_attachment', repository: () => AttachmentRepository })
export class Attachment {
  [EntityRepositoryType]?: AttachmentRepository;
  [PrimaryKeyProp]?: ['session', 'file'];

  @ManyToOne(() => Session, { primary: true, deleteRule: 'cascade', updateRule: 'no action' })
  readonly session!: Session;

  @ManyToOne(() => File, { primary: true, ...UNENFORCED })
  readonly file!: File;

  /** The number of the attachment in its session, in the order of attaching. */
  @Property({ type: 'integer' })
  readonly number!: number;

  @Property({ type: 'text' })
  readonly fileName!: string;

  @Property({ type: 'text' })
  readonly fileType!: string;

  @Property({ type: BIG_NUMBER })
  readonly size!: number;

  @Property({ type: 'integer' })
  readonly tokens!: number;

  protected constructor() {}
}

export type AttachmentRow = RowOf<Attachment>;
/** A file that is attached, or is about to be. */
export type AttachedFile = Omit<AttachmentRow, 'sessionId' | 'number'>;

export interface SessionWithAttachments {
  session: SessionRow;
  attachments: readonly AttachedFile[];
}
