import { newRow } from '../../platform/database/columns.js';
import { planned, type Sql, sql } from '../../platform/database/sql.js';
import { type Statement, theRow, write } from '../../platform/database/statement.js';
import { FilePart, type FilePartRow } from './file-part.entity.js';
import type { UploadSessionRow } from './upload-session.entity.js';

interface ChunkTaken {
  /** Whether the chunk's object still existed. */
  isKept: boolean;
  /** Whether the project has room for the bytes that have arrived beyond the announced size. */
  hasRoom: boolean;
}

/**
 * Writes a chunk in place of an earlier one with its number, and counts it. The upload reserves the announced size, or
 * the size of what has arrived if that is more. The transaction has to have locked the upload before, in a statement of
 * its own, so that this one sees the chunks of transactions that committed meanwhile.
 */
export function takeChunk(
  upload: UploadSessionRow,
  chunk: FilePartRow,
  limit: number,
  objects: { keep: Sql; release: (query: Sql) => Sql },
): Statement<ChunkTaken> {
  const { contentId, number, size } = chunk;
  const old = sql`from file_part where content_id = ${contentId} and number = ${number}`;
  const [isFirst, isLast] = [number === 0, number === upload.totalChunks];
  return theRow(planned`
    with replaced as (select count(*) as chunks, coalesce(sum(size), 0) as bytes ${old}),
    let_go as (${objects.release(sql`select object ${old}`)}),
    kept as (${objects.keep}),
    put as (
      insert into file_part ${newRow(FilePart, chunk)}
      on conflict (content_id, number) do update set size = excluded.size, object = excluded.object),
    counted as (
      update upload_session set revision = revision + 1, received_chunks = received_chunks + 1 - replaced.chunks,
        received_bytes = received_bytes + ${size} - replaced.bytes,
        has_first = has_first or ${isFirst}, has_last = has_last or ${isLast},
        reserved_bytes = greatest(size, received_bytes + ${size} - replaced.bytes)
      from replaced where id = ${upload.id} returning reserved_bytes - ${upload.reservedBytes}::bigint as more),
    room as (
      update project_storage set bytes = bytes + more from counted
      where project_id = ${upload.projectId} and more <> 0 and (more < 0 or bytes + more <= ${limit}::bigint)
      returning project_id)
    select exists (select from kept) as "isKept", more = 0 or exists (select from room) as "hasRoom" from counted`);
}

/** Counts a part at the end of an upload over tus, which has reserved its bytes at the start. */
export function countPart({ contentId, size }: FilePartRow): Statement<void> {
  return write(planned`
    update upload_session set revision = revision + 1, received_chunks = received_chunks + 1,
      received_bytes = received_bytes + ${size},
      total_chunks = received_chunks + case when received_bytes + ${size} < size then 2 else 1 end
    where id = ${contentId}`);
}
