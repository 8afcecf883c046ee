-- Made from the code by `npm run docs`; changes here are lost.

-- FilePartRepository.add
-- planned once
insert into file_part (content_id, number, project_id, size, object) values ($1, $2, $3, $4, $5);

-- FilePartRepository.deleteAll
-- planned once
delete from file_part where content_id = $1 returning content_id as "contentId", number as "number",
  project_id as "projectId", size::float8 as "size", object as "object";

-- FilePartRepository.inRange
select object, size::float8, begin::float8 from (
  select number, object, size, sum(size) over (order by number) - size as begin
  from file_part where content_id = $1) part
where size > 0 and begin <= $2 and begin + size > $3 order by number;

-- FilePartRepository.numbersOf
select number from file_part where content_id = $1 order by number;

-- ProjectStorageRepository.release
-- planned once
update project_storage set bytes = bytes - $1::bigint where project_id = $2;

-- ProjectStorageRepository.reserve
-- planned once
insert into project_storage as stored (project_id, bytes)
select $1, $2::bigint where $3::bigint <= $4::bigint
on conflict (project_id) do update set bytes = stored.bytes + excluded.bytes
where stored.bytes + excluded.bytes <= $5::bigint returning bytes;

-- ProjectStorageRepository.useOf
select count(*)::int as files, coalesce(sum(size), 0)::float8 as "fileBytes",
coalesce((select bytes from project_storage where project_id = $1), 0)::float8 as "heldBytes"
from file where project_id = $2;

-- UploadSessionRepository.lockRow
-- planned once
select id as "id", project_id as "projectId", context as "context", name as "name", extension as "extension",
  size::float8 as "size", total_chunks as "totalChunks", received_chunks as "receivedChunks",
  received_bytes::float8 as "receivedBytes", has_first as "hasFirst", has_last as "hasLast", revision as "revision",
  reserved_bytes::float8 as "reservedBytes", tus_metadata as "tusMetadata", model_id as "modelId", file_id as "fileId",
  import_started as "importStarted", completed_at as "completedAt", expires_at as "expiresAt", created_at as "createdAt"
  from upload_session
where id = $1 and project_id = $2 for update;

-- UploadSessionRepository.rowInProject
-- planned once
select id as "id", project_id as "projectId", context as "context", name as "name", extension as "extension",
  size::float8 as "size", total_chunks as "totalChunks", received_chunks as "receivedChunks",
  received_bytes::float8 as "receivedBytes", has_first as "hasFirst", has_last as "hasLast", revision as "revision",
  reserved_bytes::float8 as "reservedBytes", tus_metadata as "tusMetadata", model_id as "modelId", file_id as "fileId",
  import_started as "importStarted", completed_at as "completedAt", expires_at as "expiresAt", created_at as "createdAt"
  from upload_session
where id = $1 and project_id = $2;

-- UploadSessionRepository.tusRow
-- planned once
select id as "id", project_id as "projectId", context as "context", name as "name", extension as "extension",
  size::float8 as "size", total_chunks as "totalChunks", received_chunks as "receivedChunks",
  received_bytes::float8 as "receivedBytes", has_first as "hasFirst", has_last as "hasLast", revision as "revision",
  reserved_bytes::float8 as "reservedBytes", tus_metadata as "tusMetadata", model_id as "modelId", file_id as "fileId",
  import_started as "importStarted", completed_at as "completedAt", expires_at as "expiresAt", created_at as "createdAt"
  from upload_session
where id = $1 and project_id = $2 and tus_metadata is not null;

-- countPart
-- planned once
update upload_session set revision = revision + 1, received_chunks = received_chunks + 1,
received_bytes = received_bytes + $1,
total_chunks = received_chunks + case when received_bytes + $2 < size then 2 else 1 end
where id = $3;

-- takeChunk
-- planned once
with replaced as (select count(*) as chunks, coalesce(sum(size), 0) as bytes from file_part where content_id = $1
  and number = $2),
let_go as (insert into unkept_object (name, due_at)
  select name, $3 from (select object from file_part where content_id = $4 and number = $5) as gone (name)),
kept as (delete from unkept_object where name = $6 and not is_doomed returning name),
put as (
  insert into file_part (content_id, number, project_id, size, object) values ($7, $8, $9, $10, $11)
  on conflict (content_id, number) do update set size = excluded.size, object = excluded.object),
counted as (
  update upload_session set revision = revision + 1, received_chunks = received_chunks + 1 - replaced.chunks,
  received_bytes = received_bytes + $12 - replaced.bytes,
  has_first = has_first or $13, has_last = has_last or $14,
  reserved_bytes = greatest(size, received_bytes + $15 - replaced.bytes)
  from replaced where id = $16 returning reserved_bytes - $17::bigint as more),
room as (
  update project_storage set bytes = bytes + more from counted
  where project_id = $18 and more <> 0 and (more < 0 or bytes + more <= $19::bigint)
  returning project_id)
select exists (select from kept) as "isKept", more = 0 or exists (select from room) as "hasRoom" from counted;
