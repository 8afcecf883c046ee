import { EntityRepository } from '@mikro-orm/postgresql';
import { columnsOf, newRow } from '../../platform/database/columns.js';
import { planned, sql } from '../../platform/database/sql.js';
import { rows, type Statement, write } from '../../platform/database/statement.js';
import type { ByteRange } from '../../platform/storage/storage.js';
import type { ContentId } from './file.entity.js';
import { FilePart, type FilePartRow } from './file-part.entity.js';

/** A part, and the position in the content at which it begins. */
export interface LocatedPart extends Pick<FilePartRow, 'object' | 'size'> {
  begin: number;
}

export class FilePartRepository extends EntityRepository<FilePart> {
  add(part: FilePartRow): Statement<void> {
    return write(planned`insert into file_part ${newRow(FilePart, part)}`);
  }

  deleteAll(contentId: ContentId): Statement<FilePartRow[]> {
    return rows<FilePartRow>(
      planned`delete from file_part where content_id = ${contentId} returning ${columnsOf(FilePart)}`,
    );
  }

  numbersOf(contentId: ContentId): Statement<number[]> {
    return rows<Pick<FilePartRow, 'number'>>(
      sql`select number from file_part where content_id = ${contentId} order by number`,
    ).as((parts) => parts.map(({ number }) => number));
  }

  /** Returns the parts that have some of these bytes, in order. */
  inRange(contentId: ContentId, { start, end }: ByteRange): Statement<LocatedPart[]> {
    return rows<LocatedPart>(sql`
      select object, size::float8, begin::float8 from (
        select number, object, size, sum(size) over (order by number) - size as begin
        from file_part where content_id = ${contentId}) part
      where size > 0 and begin <= ${end} and begin + size > ${start} order by number`);
  }
}
