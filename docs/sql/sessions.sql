-- Made from the code by `npm run docs`; changes here are lost.

-- AttachmentRepository.add
insert into session_attachment (session_id, file_id, number, file_name, file_type, size, tokens) select $1, $2,
  count(*), $3, $4, $5, $6 from session_attachment where session_id = $7;

-- AttachmentRepository.deleteOfSession
delete from session_attachment where session_id = $1 returning file_id as "fileId";

-- AttachmentRepository.ofSession
-- planned once
select session_id as "sessionId", file_id as "fileId", number as "number", file_name as "fileName",
  file_type as "fileType", size::float8 as "size", tokens as "tokens" from session_attachment where session_id = $1
  order by number;

-- ErasureRepository.begin
insert into user_erasure (user_id, project_id, app_id, state, requested_at, report, file_ids)
  values ($1, $2, $3, $4, $5, $6, $7)
on conflict (user_id) do update set state = 'running', finished_at = null
returning user_id as "userId", project_id as "projectId", app_id as "appId", state as "state",
  requested_at as "requestedAt", finished_at as "finishedAt", report as "report", file_ids as "fileIds";

-- ErasureRepository.finish
update user_erasure set state = $1, finished_at = $2 where user_id = $3;

-- ErasureRepository.lock
select user_id as "userId", project_id as "projectId", app_id as "appId", state as "state",
  requested_at as "requestedAt", finished_at as "finishedAt", report as "report", file_ids as "fileIds"
    from user_erasure
  where user_id = $1 for update;

-- ErasureRepository.ofUser
select user_id as "userId", project_id as "projectId", app_id as "appId", state as "state",
  requested_at as "requestedAt", finished_at as "finishedAt", report as "report", file_ids as "fileIds"
    from user_erasure
  where user_id = $1 and app_id = $2;

-- ErasureRepository.report
update user_erasure set report = $1, file_ids = file_ids || $2::text[]
where user_id = $3;

-- MemoryEntryRepository.add
-- planned once, takes the lock 'session'
with live as (select id from session where id = $1 and ended_at is null for share)
insert into session_memory (session_id, turn, step, kind, content, tokens) select id, $2, $3, $4, $5, $6 from live;

-- MemoryEntryRepository.addInLocked
-- planned once
insert into session_memory (session_id, turn, step, kind, content, tokens) select id, $1, $2, $3, $4, $5 from session
  where id = $6 and ended_at is null;

-- MemoryEntryRepository.deleteOfSession
delete from session_memory where session_id = $1;

-- MemoryEntryRepository.deleteUpTo
delete from session_memory where session_id = $1 and turn <= $2;

-- MemoryEntryRepository.ofSession
-- planned once
select session_id as "sessionId", turn::float8 as "turn", step as "step", kind as "kind", content as "content",
  tokens as "tokens" from session_memory
where session_id = $1 and turn <= $2 order by session_memory.turn, step;

-- MemoryEntryRepository.ofTurn
-- planned once
select session_id as "sessionId", turn::float8 as "turn", step as "step", kind as "kind", content as "content",
  tokens as "tokens" from session_memory
where session_id = $1 and turn = $2 order by step;

-- MemoryEntryRepository.upTo
-- planned once
select session_id as "sessionId", turn::float8 as "turn", step as "step", kind as "kind", content as "content",
  tokens as "tokens" from session_memory
where session_id = $1 and turn <= $2 order by session_memory.turn, step;

-- SessionCountRepository.addUp
with appended as (
  select distinct app_id, environment, source, slot
  from (select * from session_count
    where is_new and slot < (select counted_until from session_counting) limit $1) new),
taken as (
  delete from session_count s using appended a
  where s.app_id = a.app_id and s.environment = a.environment and s.source = a.source and s.slot = a.slot
  returning s.*),
added_up as (
  insert into session_count (project_id, app_id, environment, source, slot, is_new, n)
  select project_id, app_id, environment, source, slot, false, sum(n)
  from taken group by 1, 2, 3, 4, 5 having sum(n) <> 0)
select count(*)::integer as taken from taken;

-- SessionCountRepository.countSome
with known as (
  select counted_until as since, session_slot($1) as last from session_counting),
span as (
  select since, least(last, session_slot((
        select min(oldest.created_at) from app, lateral (
          select created_at from session where app_id = app.id and created_at >= since
          order by created_at limit 1) oldest)) + interval '6 hours') as until
  from known where since < last),
appended as (
  delete from session_count using span where is_new and slot >= since and slot < until),
counted as (
  insert into session_count (project_id, app_id, environment, source, slot, is_new, n)
  select of_app.* from span, app, lateral (
    select project_id, app_id, environment, source, session_slot(created_at), false, count(*)
    from session where app_id = app.id and created_at >= since and created_at < until
    group by 1, 2, 3, 4, 5) of_app)
update session_counting set counted_until = until from span returning until;

-- SessionCountRepository.isPast
select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as "isPast";

-- SessionCountRepository.thisMoment
select now() as at, pg_current_xact_id()::text as transaction;

-- SessionCountRepository.tryLock
select from session_counting for update skip locked;

-- SessionRepository.add
-- planned once, takes the lock 'session'
with known as (
  insert into app_user (id, project_id, app_id, reference, created_at, last_seen_at) values ($1, $2, $3, $4, $5, $6)
  on conflict (app_id, reference) do update set last_seen_at = excluded.last_seen_at
  returning id)
insert into session (id, project_id, app_id, environment, env_id, reference, user_id, user_reference, source, status,
  app_version_id, run_id, created_at, last_activity_at, active_part) select $7,
  $8, $9, $10, $11, $12, known.id, $13, $14, $15, $16, $17, $18, $19, $20 from known
on conflict (app_id, environment, reference) where ended_at is null and reference is not null do nothing
returning id as "id", project_id as "projectId", app_id as "appId", environment as "environment", env_id as "envId",
  reference as "reference", user_id as "userId", user_reference as "userReference", source as "source",
  status as "status", app_version_id as "appVersionId", run_id as "runId", created_at as "createdAt",
  last_activity_at as "lastActivityAt", ended_at as "endedAt", end_reason as "endReason", closed_at as "closedAt",
  farewell as "farewell", summary as "summary", turns as "turns", llm_calls as "llmCalls",
  input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cost::float8 as "cost",
  latency_ms::float8 as "latencyMs";

-- SessionRepository.addCall
-- takes the lock 'session'
update session set llm_calls = llm_calls + 1, input_tokens = input_tokens + $1,
output_tokens = output_tokens + $2, cost = cost + $3::numeric
where id = $4 returning id;

-- SessionRepository.begin
-- planned once, takes the lock 'session'
update session set status = 'busy', run_id = $1, last_activity_at = $2, active_part = $3 where id = $4
  and ended_at is null returning id;

-- SessionRepository.beginLive
-- planned once, takes the lock 'session'
update session set status = 'busy', run_id = $1, last_activity_at = $2, active_part = $3
where app_id = $4 and environment = $5 and reference = $6 and ended_at is null
returning id as "id", project_id as "projectId", app_id as "appId", environment as "environment", env_id as "envId",
  reference as "reference", user_id as "userId", user_reference as "userReference", source as "source",
  status as "status", app_version_id as "appVersionId", run_id as "runId", created_at as "createdAt",
  last_activity_at as "lastActivityAt", ended_at as "endedAt", end_reason as "endReason", closed_at as "closedAt",
  farewell as "farewell", summary as "summary", turns as "turns", llm_calls as "llmCalls",
  input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cost::float8 as "cost",
  latency_ms::float8 as "latencyMs";

-- SessionRepository.byId
-- planned once
select id as "id", project_id as "projectId", app_id as "appId", environment as "environment", env_id as "envId",
  reference as "reference", user_id as "userId", user_reference as "userReference", source as "source",
  status as "status", app_version_id as "appVersionId", run_id as "runId", created_at as "createdAt",
  last_activity_at as "lastActivityAt", ended_at as "endedAt", end_reason as "endReason", closed_at as "closedAt",
  farewell as "farewell", summary as "summary", turns as "turns", llm_calls as "llmCalls",
  input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cost::float8 as "cost",
  latency_ms::float8 as "latencyMs" from session where id = $1;

-- SessionRepository.close
-- takes the lock 'session'
update session set closed_at = $1, farewell = $2, summary = $3 where id = $4;

-- SessionRepository.delete
-- takes the lock 'session'
delete from session where id = $1;

-- SessionRepository.end
-- planned once, takes the lock 'session'
update session set status = 'terminated', ended_at = $1, end_reason = $2 where id = $3 and ended_at is null returning id;

-- SessionRepository.endTurn
-- planned once, takes the lock 'session'
update session set
status = case when ended_at is null then 'started' else status end, last_activity_at = $1, active_part = $2,
turns = turns + 1, llm_calls = llm_calls + $3, input_tokens = input_tokens + $4,
output_tokens = output_tokens + $5, cost = cost + $6::numeric,
latency_ms = latency_ms + $7
where id = $8;

-- SessionRepository.idleSince
select id from session where (ended_at is null) is true and active_part < $1 and last_activity_at < $2
and status <> 'busy' order by active_part limit $3;

-- SessionRepository.inApp
-- planned once
select id as "id", project_id as "projectId", app_id as "appId", environment as "environment", env_id as "envId",
  reference as "reference", user_id as "userId", user_reference as "userReference", source as "source",
  status as "status", app_version_id as "appVersionId", run_id as "runId", created_at as "createdAt",
  last_activity_at as "lastActivityAt", ended_at as "endedAt", end_reason as "endReason", closed_at as "closedAt",
  farewell as "farewell", summary as "summary", turns as "turns", llm_calls as "llmCalls",
  input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cost::float8 as "cost",
  latency_ms::float8 as "latencyMs" from session where id = $1 and app_id = $2 and project_id = $3;

-- SessionRepository.inEnvironment
-- planned once
select id as "id", project_id as "projectId", app_id as "appId", environment as "environment", env_id as "envId",
  reference as "reference", user_id as "userId", user_reference as "userReference", source as "source",
  status as "status", app_version_id as "appVersionId", run_id as "runId", created_at as "createdAt",
  last_activity_at as "lastActivityAt", ended_at as "endedAt", end_reason as "endReason", closed_at as "closedAt",
  farewell as "farewell", summary as "summary", turns as "turns", llm_calls as "llmCalls",
  input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cost::float8 as "cost",
  latency_ms::float8 as "latencyMs" from session where id = $1 and app_id = $2 and environment = $3;

-- SessionRepository.list (1: counts all)
-- planned once
select counted.until as "newerFrom", (select count(*)::float8 from session
  where project_id = $1 and app_id = $2 and created_at >= counted.until and created_at < $3) as newer,
(select coalesce(sum(n), 0)::float8 from session_count where project_id = $4 and app_id = $5 and slot >= $6
  and slot < counted.until) as summed,
$7::timestamptz as "olderTo", (select count(*)::float8 from session
  where project_id = $8 and app_id = $9 and created_at >= $10 and created_at < $11) as older
from (select greatest($12::timestamptz, least($13::timestamptz, counted_until)) as until
  from session_counting) counted;

-- SessionRepository.list (1: counts those of a source)
-- planned once
select counted.until as "newerFrom", (select count(*)::float8 from session
  where project_id = $1 and app_id = $2 and environment = $3 and source = $4 and created_at >= counted.until
    and created_at < $5) as newer,
(select coalesce(sum(n), 0)::float8 from session_count where project_id = $6 and app_id = $7 and environment = $8
  and source = $9 and slot >= $10 and slot < counted.until) as summed,
$11::timestamptz as "olderTo", (select count(*)::float8 from session
  where project_id = $12 and app_id = $13 and environment = $14 and source = $15 and created_at >= $16
    and created_at < $17) as older
from (select greatest($18::timestamptz, least($19::timestamptz, counted_until)) as until
  from session_counting) counted;

-- SessionRepository.list (1: counts those of a user)
select $1::timestamptz as "newerFrom", (select count(*)::float8 from session
  where project_id = $2 and app_id = $3 and user_reference = $4 and created_at >= $5 and created_at < $6) as newer,
    0::float8 as summed,
$7::timestamptz as "olderTo", 0::float8 as older;

-- SessionRepository.list (2: a page of a user)
select id as "id", project_id as "projectId", app_id as "appId", environment as "environment", env_id as "envId",
  reference as "reference", user_id as "userId", user_reference as "userReference", source as "source",
  status as "status", app_version_id as "appVersionId", run_id as "runId", created_at as "createdAt",
  last_activity_at as "lastActivityAt", ended_at as "endedAt", end_reason as "endReason", closed_at as "closedAt",
  farewell as "farewell", summary as "summary", turns as "turns", llm_calls as "llmCalls",
  input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cost::float8 as "cost",
  latency_ms::float8 as "latencyMs" from session join (
  select found.id from unnest($1::timestamptz[], $2::timestamptz[], $3::bigint[])
  as walk (from_time, to_time, skip), lateral (
    select id, created_at from session
    where project_id = $4 and app_id = $5 and user_reference = $6 and created_at >= walk.from_time
      and created_at < walk.to_time
    order by created_at desc, id desc offset walk.skip limit $7) found
  order by found.created_at desc, found.id desc limit $8) page using (id)
order by created_at desc, id desc;

-- SessionRepository.list (2: the first page of all)
-- planned once
select id as "id", project_id as "projectId", app_id as "appId", environment as "environment", env_id as "envId",
  reference as "reference", user_id as "userId", user_reference as "userReference", source as "source",
  status as "status", app_version_id as "appVersionId", run_id as "runId", created_at as "createdAt",
  last_activity_at as "lastActivityAt", ended_at as "endedAt", end_reason as "endReason", closed_at as "closedAt",
  farewell as "farewell", summary as "summary", turns as "turns", llm_calls as "llmCalls",
  input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cost::float8 as "cost",
  latency_ms::float8 as "latencyMs" from session join (
  select found.id from unnest($1::timestamptz[], $2::timestamptz[], $3::bigint[])
  as walk (from_time, to_time, skip), lateral (
    select id, created_at from session
    where project_id = $4 and app_id = $5 and created_at >= walk.from_time and created_at < walk.to_time
    order by created_at desc, id desc offset walk.skip limit $6) found
  order by found.created_at desc, found.id desc limit $7) page using (id)
order by created_at desc, id desc;

-- SessionRepository.list (2: the slots of a later page of a source)
-- planned once
select slot as "from", n::float8 as count, before::float8 as before
from (select slot, sum(n) as n, sum(sum(n)) over (order by slot desc) - sum(n) as before
  from session_count where project_id = $1 and app_id = $2 and environment = $3 and source = $4 and slot >= $5
    and slot < $6 group by slot) slots
where n > 0 and before < $7 and before + n > $8 order by slot desc;

-- SessionRepository.list (3: the page)
-- planned once
select id as "id", project_id as "projectId", app_id as "appId", environment as "environment", env_id as "envId",
  reference as "reference", user_id as "userId", user_reference as "userReference", source as "source",
  status as "status", app_version_id as "appVersionId", run_id as "runId", created_at as "createdAt",
  last_activity_at as "lastActivityAt", ended_at as "endedAt", end_reason as "endReason", closed_at as "closedAt",
  farewell as "farewell", summary as "summary", turns as "turns", llm_calls as "llmCalls",
  input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cost::float8 as "cost",
  latency_ms::float8 as "latencyMs" from session join (
  select found.id from unnest($1::timestamptz[], $2::timestamptz[], $3::bigint[])
  as walk (from_time, to_time, skip), lateral (
    select id, created_at from session
    where project_id = $4 and app_id = $5 and environment = $6 and source = $7 and created_at >= walk.from_time
      and created_at < walk.to_time
    order by created_at desc, id desc offset walk.skip limit $8) found
  order by found.created_at desc, found.id desc limit $9) page using (id)
order by created_at desc, id desc;

-- SessionRepository.live
-- planned once
select id as "id", project_id as "projectId", app_id as "appId", environment as "environment", env_id as "envId",
  reference as "reference", user_id as "userId", user_reference as "userReference", source as "source",
  status as "status", app_version_id as "appVersionId", run_id as "runId", created_at as "createdAt",
  last_activity_at as "lastActivityAt", ended_at as "endedAt", end_reason as "endReason", closed_at as "closedAt",
  farewell as "farewell", summary as "summary", turns as "turns", llm_calls as "llmCalls",
  input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cost::float8 as "cost",
  latency_ms::float8 as "latencyMs" from session where app_id = $1 and environment = $2 and reference = $3
  and ended_at is null;

-- SessionRepository.lock
-- planned once, takes the lock 'session'
select id as "id", project_id as "projectId", app_id as "appId", environment as "environment", env_id as "envId",
  reference as "reference", user_id as "userId", user_reference as "userReference", source as "source",
  status as "status", app_version_id as "appVersionId", run_id as "runId", created_at as "createdAt",
  last_activity_at as "lastActivityAt", ended_at as "endedAt", end_reason as "endReason", closed_at as "closedAt",
  farewell as "farewell", summary as "summary", turns as "turns", llm_calls as "llmCalls",
  input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cost::float8 as "cost",
  latency_ms::float8 as "latencyMs" from session where id = $1 for no key update;

-- SessionRepository.lockShared
-- takes the lock 'session'
select from session where id = $1 for share;

-- SessionRepository.newest
-- planned once
select id as "id", project_id as "projectId", app_id as "appId", environment as "environment", env_id as "envId",
  reference as "reference", user_id as "userId", user_reference as "userReference", source as "source",
  status as "status", app_version_id as "appVersionId", run_id as "runId", created_at as "createdAt",
  last_activity_at as "lastActivityAt", ended_at as "endedAt", end_reason as "endReason", closed_at as "closedAt",
  farewell as "farewell", summary as "summary", turns as "turns", llm_calls as "llmCalls",
  input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cost::float8 as "cost",
  latency_ms::float8 as "latencyMs" from session where app_id = $1 and environment = $2 and reference = $3
order by ended_at is not null, created_at desc, id desc limit 1;

-- SessionRepository.ofUser
select id from session where user_id = $1 order by created_at limit $2;

-- SessionRepository.touch
-- planned once, takes the lock 'session'
update session set last_activity_at = $1, active_part = $2 where id = $3 and ended_at is null returning id;

-- SessionRepository.withAttachments
-- planned once
select id as "id", project_id as "projectId", app_id as "appId", environment as "environment", env_id as "envId",
  reference as "reference", user_id as "userId", user_reference as "userReference", source as "source",
  status as "status", app_version_id as "appVersionId", run_id as "runId", created_at as "createdAt",
  last_activity_at as "lastActivityAt", ended_at as "endedAt", end_reason as "endReason", closed_at as "closedAt",
  farewell as "farewell", summary as "summary", turns as "turns", llm_calls as "llmCalls",
  input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cost::float8 as "cost",
  latency_ms::float8 as "latencyMs", (
  select coalesce(jsonb_agg(to_jsonb(attached)), '[]') from (
    select session_id as "sessionId", file_id as "fileId", number as "number", file_name as "fileName",
      file_type as "fileType", size::float8 as "size", tokens as "tokens" from session_attachment
      where session_id = session.id order by number
    ) as attached) as attachments
from session where id = $1;

-- SessionSettingsRepository.ofApp
-- planned once
select app_id as "appId", max_file_count as "maxFileCount", max_file_size as "maxFileSize", max_tokens as "maxTokens",
  is_attachments_enabled as "isAttachmentsEnabled" from session_settings where app_id = $1;

-- UserRepository.delete
delete from app_user where id = $1;

-- UserRepository.isIn
select from app_user where id = $1 and app_id = $2;
