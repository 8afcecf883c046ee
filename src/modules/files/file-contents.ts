import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { databaseErrors } from '../../platform/database/database.errors.js';
import type { Sql } from '../../platform/database/sql.js';
import { asOne, type Statement } from '../../platform/database/statement.js';
import type { Transaction } from '../../platform/database/transaction.js';
import type { ByteRange } from '../../platform/storage/storage.js';
import { type ObjectName, StoredObjects } from '../../platform/storage/stored-objects.js';
import type { ContentId } from './file.entity.js';
import type { FilePartRow } from './file-part.entity.js';
import { FilePartRepository, type LocatedPart } from './file-part.repository.js';
import { countPart, takeChunk } from './upload-chunk.statements.js';
import type { UploadSessionRow } from './upload-session.entity.js';

/** Reads and writes contents. A content consists of parts in order, each of which is an object in the store. */
@Injectable()
export class FileContents {
  constructor(
    private readonly database: Database,
    private readonly parts: FilePartRepository,
    private readonly objects: StoredObjects,
  ) {}

  /** Adds a part and keeps its object. Refuses if the object has been removed. */
  add(tx: Transaction, part: FilePartRow): Statement<void> {
    return this.objects.keeping(tx, part.object, [this.parts.add(part)]);
  }

  /** Returns the answer to a question, and announces an object in the same statement if the condition holds. */
  announcing<Answer>(object: ObjectName, condition: Sql, question: Statement<Answer>): Statement<Answer> {
    return asOne([this.objects.announcing(object, condition)], question);
  }

  /**
   * Writes a chunk in a transaction that has locked the upload, and returns whether the project had room. Refuses if
   * the chunk's object has been removed.
   */
  takeChunk(tx: Transaction, upload: UploadSessionRow, chunk: FilePartRow, limit: number): Statement<boolean> {
    const keep = this.objects.keep(tx, chunk.object).sql;
    const release = (query: Sql) => this.objects.releasingSelected(query).sql;
    return takeChunk(upload, chunk, limit, { keep, release }).as(({ isKept, hasRoom }) => {
      if (!isKept) throw databaseErrors.conflict();
      return hasRoom;
    });
  }

  /**
   * Adds a part at the end in a transaction that has locked the upload. Refuses if the part's object has been removed.
   */
  append(tx: Transaction, part: FilePartRow): Statement<void> {
    return this.objects.keeping(tx, part.object, [this.parts.add(part), countPart(part)]);
  }

  async delete(tx: Transaction, contentId: ContentId): Promise<void> {
    const parts = await tx.ask(this.parts.deleteAll(contentId));
    tx.defer(this.objects.releasing(parts.map(({ object }) => object)));
  }

  numbersOf(contentId: ContentId): Promise<number[]> {
    return this.database.ask(this.parts.numbersOf(contentId));
  }

  /** Reads the first bytes of a content. */
  async head(contentId: ContentId, bytes: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of await this.read(contentId, { start: 0, end: bytes - 1 })) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Opens the first part before it returns, so that a failure to read is known before an answer begins. */
  async read(contentId: ContentId, range: ByteRange): Promise<AsyncIterable<Buffer>> {
    const [first, ...others] = await this.database.ask(this.parts.inRange(contentId, range));
    const beginning = first ? await this.readPart(first, range) : [];
    const readPart = (part: LocatedPart) => this.readPart(part, range);
    return (async function* () {
      yield* beginning;
      for (const part of others) yield* await readPart(part);
    })();
  }

  private readPart({ object, size, begin }: LocatedPart, { start, end }: ByteRange): Promise<AsyncIterable<Buffer>> {
    return this.objects.read(object, { start: Math.max(0, start - begin), end: Math.min(size - 1, end - begin) });
  }
}
