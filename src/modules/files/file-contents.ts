import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Statement } from '../../platform/database/statement.js';
import type { Transaction } from '../../platform/database/transaction.js';
import type { ByteRange } from '../../platform/storage/storage.js';
import { StoredObjects } from '../../platform/storage/stored-objects.js';
import type { ContentId } from './file.entity.js';
import type { FilePartRow } from './file-part.entity.js';
import { FilePartRepository, type LocatedPart } from './file-part.repository.js';

/** Contents: parts in order, each an object in the store, read as one. */
@Injectable()
export class FileContents {
  constructor(
    private readonly database: Database,
    private readonly parts: FilePartRepository,
    private readonly objects: StoredObjects,
  ) {}

  /** Refuses where its object is gone. */
  add(tx: Transaction, part: FilePartRow): Statement<void> {
    return this.objects.keeping(tx, part.object, [this.parts.add(part)]);
  }

  /** Whoever puts one in its place takes turns with everybody else who does. */
  part(contentId: ContentId, number: number): Statement<FilePartRow | null> {
    return this.parts.byNumber(contentId, number);
  }

  /** Writes a part in the place of the one that was there, and what else is to be written with it, as one statement. */
  put(
    tx: Transaction,
    part: FilePartRow,
    replaced: FilePartRow | null,
    also: readonly Statement<unknown>[],
  ): Statement<void> {
    const letGo = replaced ? [this.objects.lettingGo([replaced.object])] : [];
    return this.objects.keeping(tx, part.object, [this.parts.put(part), ...letGo, ...also]);
  }

  async delete(tx: Transaction, contentId: ContentId): Promise<void> {
    const parts = await tx.ask(this.parts.takeOutAll(contentId));
    tx.defer(this.objects.lettingGo(parts.map(({ object }) => object)));
  }

  numbersOf(contentId: ContentId): Promise<number[]> {
    return this.database.ask(this.parts.numbersOf(contentId));
  }

  /** As much of its beginning. */
  async head(contentId: ContentId, bytes: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of await this.read(contentId, { start: 0, end: bytes - 1 })) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Opens the first part before it returns, so that what cannot be read is told in time. */
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
