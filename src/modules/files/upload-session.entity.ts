import { Check, Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { NotAudited } from '../../platform/audit/audited.js';
import { BIG_NUMBER, ID, type RowOf } from '../../platform/database/columns.js';
import { Project } from '../tenancy/project.entity.js';
import type { File } from './file.entity.js';
import { filesErrors } from './files.errors.js';
import type { ImportStarted } from './files.port.js';
import { UploadSessionRepository } from './upload-session.repository.js';

export interface NewUpload {
  context: string;
  name: string;
  extension: string;
  size: number;
  totalChunks: number;
  expiresAt: Date;
  tusMetadata?: string;
}

/**
 * A file that arrives in chunks, or over tus in order. Its row counts what has arrived, so that completing the upload
 * reads no chunks.
 */
@NotAudited('An upload is not configuration until it is complete; its file is audited')
@Entity({ tableName: 'upload_session', repository: () => UploadSessionRepository })
@Index({ name: 'upload_session_project', properties: ['project'] })
@Index({ name: 'upload_session_open', properties: ['expiresAt'], where: 'reserved_bytes > 0 and file_id is null' })
@Index({ name: 'upload_session_age', properties: ['expiresAt'] })
@Check({ expression: 'not (has_first and has_last)' })
export class UploadSession {
  [EntityRepositoryType]?: UploadSessionRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'uploadSession'> = newId('uploadSession');

  @ManyToOne(() => Project, { deleteRule: 'cascade' })
  readonly project: Project;

  @Property({ type: 'text' })
  readonly context: string;

  @Property({ type: 'text' })
  readonly name: string;

  @Property({ type: 'text' })
  readonly extension: string;

  @Property({ type: BIG_NUMBER, check: 'size > 0' })
  readonly size: number;

  /** Of an upload over tus, whose parts have any size: the parts that have arrived, and one more until all have. */
  @Property({ type: 'integer', check: 'total_chunks > 0' })
  readonly totalChunks: number;

  @Property({ type: 'integer', default: 0 })
  receivedChunks: number = 0;

  @Property({ type: BIG_NUMBER, defaultRaw: '0' })
  receivedBytes: number = 0;

  /** Whether chunk 0 has arrived. The numbers then begin with 0. */
  @Property({ type: 'boolean', default: false })
  hasFirst: boolean = false;

  /** Whether the chunk with the number `totalChunks` has arrived. The numbers then begin with 1. */
  @Property({ type: 'boolean', default: false })
  hasLast: boolean = false;

  /** Counts the changes of the chunks. If it is unchanged, no chunk has been added or replaced. */
  @Property({ type: 'integer', default: 0 })
  revision: number = 0;

  /** The bytes that the upload reserves in its project: the announced size, or what has arrived if that is more. */
  @Property({ type: BIG_NUMBER, defaultRaw: '0' })
  reservedBytes: number = 0;

  /** The `Upload-Metadata` of an upload over tus as its client sent it. Other uploads have none. */
  @Property({ type: 'text', nullable: true })
  readonly tusMetadata: string | null;

  /** The id of the model that is to be made of the file, in contexts that have an `UploadContext`. */
  @Property({ type: 'text', nullable: true })
  modelId: string | null = null;

  @Property({ ...ID, nullable: true })
  fileId: Id<'file'> | null = null;

  @Property({ type: 'json', nullable: true })
  importStarted: ImportStarted | null = null;

  @Property({ type: 'timestamptz', nullable: true })
  completedAt: Date | null = null;

  @Property({ type: 'timestamptz' })
  readonly expiresAt: Date;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  constructor(project: Project, { context, name, extension, size, totalChunks, expiresAt, tusMetadata }: NewUpload) {
    this.project = project;
    this.context = context;
    this.name = name;
    this.extension = extension;
    this.size = size;
    this.totalChunks = totalChunks;
    this.expiresAt = expiresAt;
    this.tusMetadata = tusMetadata ?? null;
  }

  /** The number of the first chunk, which is 0 as long as it is unknown. */
  get firstNumber(): 0 | 1 {
    return this.hasLast ? 1 : 0;
  }

  checkWhole(missingChunks: () => number[]): void {
    if (this.receivedChunks < this.totalChunks) {
      throw filesErrors.chunksMissing({ details: { missingChunks: missingChunks() } });
    }
    if (this.receivedBytes !== this.size) {
      throw filesErrors.sizeMismatch({ received: this.receivedBytes, declared: this.size });
    }
  }

  complete(file: File): void {
    this.fileId = file.id;
    this.completedAt = file.createdAt;
  }

  /** Resets the counts of an upload that has expired. Its row stays, and answers that the upload has expired. */
  release(): void {
    Object.assign(this, { receivedChunks: 0, receivedBytes: 0, hasFirst: false, hasLast: false, reservedBytes: 0 });
  }
}

export type UploadSessionRow = RowOf<UploadSession, 'firstNumber'>;

export function checkOpen({ fileId, expiresAt }: Pick<UploadSessionRow, 'fileId' | 'expiresAt'>): void {
  if (fileId) throw filesErrors.uploadCompleted();
  if (clock.now() >= expiresAt) throw filesErrors.uploadExpired();
}

/** Refuses chunks with numbers for an upload whose bytes arrive in order. */
export function checkTakesChunks(session: Pick<UploadSessionRow, 'tusMetadata' | 'id' | 'receivedBytes'>): void {
  const { tusMetadata, id: sessionId, receivedBytes: offset } = session;
  if (tusMetadata !== null) throw filesErrors.takesNoChunks({ sessionId, offset });
}

/** Returns the number in a text, or -1, which no chunk has. */
export function chunkNumberIn(text: string): number {
  return /^\d{1,6}$/.test(text) ? Number(text) : -1;
}

export function checkNumber(
  { totalChunks: total, hasFirst, hasLast }: Pick<UploadSessionRow, 'totalChunks' | 'hasFirst' | 'hasLast'>,
  number: number,
): void {
  const refuse = (reason: string) => filesErrors.chunkNumberInvalid({ reason, last: total - 1, total });
  if (number < 0 || number > total) throw refuse('the number is outside of both ranges');
  if (number === 0 && hasLast) throw refuse(`the chunk ${total} has arrived, so the first chunk is 1`);
  if (number === total && hasFirst) throw refuse(`the chunk 0 has arrived, so the last chunk is ${number - 1}`);
}

/** Returns the numbers that have not arrived, from the first to the last. */
export function missingFrom({ firstNumber, totalChunks }: UploadSession, chunks: ReadonlySet<number>): number[] {
  return Array.from({ length: totalChunks }, (_, at) => firstNumber + at).filter((number) => !chunks.has(number));
}
