import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { planned } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import type { ByteRange } from '../../platform/storage/storage.js';
import { type ObjectName, StoredObjects } from '../../platform/storage/stored-objects.js';
import type { ContentId } from './file.entity.js';

interface NewPart {
  projectId: Id<'project'>;
  contentId: ContentId;
  number: number;
  size: number;
  object: ObjectName;
}

/** A part and where it stands in the content. */
interface PlacedPart {
  object: ObjectName;
  size: number;
  begin: number;
}

/** Contents: parts in order, each an object in the store, read as one. */
@Injectable()
export class FileContents {
  constructor(
    private readonly objects: StoredObjects,
    private readonly statements: Statements,
  ) {}

  async add(em: EntityManager, { projectId, contentId, number, size, object }: NewPart): Promise<void> {
    await this.objects.keep(em, object);
    await this.statements.writeIn(
      em,
      planned`insert into file_part (content_id, number, project_id, size, object)
              values (${contentId}, ${number}, ${projectId}, ${size}, ${object})`,
    );
  }

  /** The last one of a number stands. Returns the size of the one that it replaces; whoever calls takes turns. */
  async put(em: EntityManager, part: NewPart): Promise<number | null> {
    const { contentId, number } = part;
    const [old] = await this.statements.runIn<{ object: ObjectName; size: number }>(
      em,
      planned`delete from file_part where content_id = ${contentId} and number = ${number} returning object, size::float8`,
    );
    if (old) await this.objects.letGo(em, [old.object]);
    await this.add(em, part);
    return old?.size ?? null;
  }

  async delete(em: EntityManager, contentId: ContentId): Promise<void> {
    const parts = await this.statements.runIn<{ object: ObjectName }>(
      em,
      planned`delete from file_part where content_id = ${contentId} returning object`,
    );
    await this.objects.letGo(
      em,
      parts.map(({ object }) => object),
    );
  }

  async numbersOf(contentId: ContentId): Promise<number[]> {
    const rows = await this.statements.run<{ number: number }>(
      'select number from file_part where content_id = $1 order by number',
      [contentId],
    );
    return rows.map(({ number }) => number);
  }

  /** As much of its beginning. */
  async head(contentId: ContentId, bytes: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of await this.read(contentId, { start: 0, end: bytes - 1 })) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Opens the first part before it returns, so that what cannot be read is told in time. */
  async read(contentId: ContentId, range: ByteRange): Promise<AsyncIterable<Buffer>> {
    const [first, ...others] = await this.partsIn(contentId, range);
    const beginning = first ? await this.readPart(first, range) : [];
    const readPart = (part: PlacedPart) => this.readPart(part, range);
    return (async function* () {
      yield* beginning;
      for (const part of others) yield* await readPart(part);
    })();
  }

  private readPart({ object, size, begin }: PlacedPart, { start, end }: ByteRange): Promise<AsyncIterable<Buffer>> {
    return this.objects.read(object, { start: Math.max(0, start - begin), end: Math.min(size - 1, end - begin) });
  }

  private partsIn(contentId: ContentId, { start, end }: ByteRange): Promise<PlacedPart[]> {
    return this.statements.run<PlacedPart>(
      `select object, size::float8, begin::float8 from (
         select number, object, size, sum(size) over (order by number) - size as begin
         from file_part where content_id = $1) part
       where size > 0 and begin <= $3 and begin + size > $2 order by number`,
      [contentId, start, end],
    );
  }
}
