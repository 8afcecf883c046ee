import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { BigIntType, EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { NotAudited } from '../../platform/audit/audited.js';
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
}

/** A file that arrives in chunks. What it counts of them stands in one row, so that completing looks at no chunk. */
@NotAudited('An upload under way is no configuration; the file that comes of it is audited')
@Entity({ tableName: 'upload_session', repository: () => UploadSessionRepository })
export class UploadSession {
  [EntityRepositoryType]?: UploadSessionRepository;

  @PrimaryKey({ type: 'text' })
  readonly id: Id<'uploadSession'> = newId('uploadSession');

  @ManyToOne(() => Project, { deleteRule: 'cascade' })
  readonly project: Project;

  @Property({ type: 'text' })
  readonly context: string;

  @Property({ type: 'text' })
  readonly name: string;

  @Property({ type: 'text' })
  readonly extension: string;

  @Property({ type: new BigIntType('number') })
  readonly size: number;

  @Property({ type: 'integer' })
  readonly totalChunks: number;

  @Property({ type: 'integer' })
  receivedChunks: number = 0;

  @Property({ type: new BigIntType('number') })
  receivedBytes: number = 0;

  /** Chunk 0 has arrived: it counts to one less than there are chunks. */
  @Property({ type: 'boolean' })
  hasFirst: boolean = false;

  /** The chunk has arrived that only those have who count from 1. */
  @Property({ type: 'boolean' })
  hasLast: boolean = false;

  /** Grows with every chunk: what was read at one revision is true for as long as that stands. */
  @Property({ type: 'integer' })
  revision: number = 0;

  /** What of the project's room it holds: what was announced, or what has arrived where that is more. */
  @Property({ type: new BigIntType('number') })
  reservedBytes: number = 0;

  /** Of what the file is to become, where somebody takes uploads of the context. */
  @Property({ type: 'text', nullable: true })
  modelId: string | null = null;

  @Property({ type: 'text', nullable: true })
  fileId: Id<'file'> | null = null;

  @Property({ type: 'json', nullable: true })
  importStarted: ImportStarted | null = null;

  @Property({ type: 'timestamptz', nullable: true })
  completedAt: Date | null = null;

  @Property({ type: 'timestamptz' })
  readonly expiresAt: Date;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  constructor(project: Project, { context, name, extension, size, totalChunks, expiresAt }: NewUpload) {
    this.project = project;
    this.context = context;
    this.name = name;
    this.extension = extension;
    this.size = size;
    this.totalChunks = totalChunks;
    this.expiresAt = expiresAt;
  }

  get isExpired(): boolean {
    return clock.now() >= this.expiresAt;
  }

  /** The number of its first chunk, as far as can be told. */
  get firstNumber(): 0 | 1 {
    return this.hasLast ? 1 : 0;
  }

  checkOpen(): void {
    if (this.fileId) throw filesErrors.uploadCompleted();
    if (this.isExpired) throw filesErrors.uploadExpired();
  }

  checkWhole(missingChunks: () => number[]): void {
    if (this.receivedChunks < this.totalChunks) {
      throw filesErrors.chunksMissing({ details: { missingChunks: missingChunks() } });
    }
    if (this.receivedBytes !== this.size) {
      throw filesErrors.sizeMismatch({ received: this.receivedBytes, declared: this.size });
    }
  }

  checkNumber(text: string): number {
    const last = this.totalChunks - 1;
    const refuse = (reason: string) => filesErrors.chunkNumberInvalid({ reason, last, total: this.totalChunks });
    const number = /^\d{1,6}$/.test(text) ? Number(text) : -1;
    if (number < 0 || number > this.totalChunks) throw refuse('this is none of these');
    if (number === 0 && this.hasLast) throw refuse(`${this.totalChunks} has arrived, so there is no 0`);
    if (number === this.totalChunks && this.hasFirst) throw refuse(`0 has arrived, so there is no ${number}`);
    return number;
  }

  /** Counts a chunk, instead of one of that number with another size where there was one. */
  count(number: number, size: number, replacedSize: number | null): void {
    this.revision += 1;
    this.receivedChunks += replacedSize === null ? 1 : 0;
    this.receivedBytes += size - (replacedSize ?? 0);
    this.hasFirst ||= number === 0;
    this.hasLast ||= number === this.totalChunks;
  }

  complete(file: File): void {
    this.fileId = file.id;
    this.completedAt = file.createdAt;
  }

  /** What is left of one that expired: a row that says so. */
  release(): void {
    Object.assign(this, { receivedChunks: 0, receivedBytes: 0, hasFirst: false, hasLast: false, reservedBytes: 0 });
  }
}

/** From the first to the last by the way it counts. */
export function missingFrom({ firstNumber, totalChunks }: UploadSession, chunks: ReadonlySet<number>): number[] {
  return Array.from({ length: totalChunks }, (_, at) => firstNumber + at).filter((number) => !chunks.has(number));
}
