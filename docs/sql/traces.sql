-- Made from the code by `npm run docs`; changes here are lost.

-- ObservationRepository.failedCalls
select model, failed_model_id as "failedModelId", callers_left as "callersLeft", calls, exists (
  select from observation succeeded
  where
  project_id = $1 and started_at >= $2::timestamptz and kind = 'GENERATION' and otel_id is null and status = 'success'
    and succeeded.model = failed.model) as "hasSucceeded"
from (
  select model, failed_model_id, status_message = $3 as callers_left, count(*)::int as calls
  from observation where
  project_id = $4 and started_at >= $5::timestamptz and kind = 'GENERATION' and otel_id is null
    and status = 'failed' group by model, failed_model_id, callers_left) failed
order by calls desc, model, failed_model_id, callers_left;

-- ObservationRepository.ofTrace (with texts)
select o.trace_id as "traceId", o.project_id as "projectId", o.id as "id", o.known_parent as "parentId",
  o.kind as "kind", o.name as "name", o.started_at as "startedAt", o.ended_at as "endedAt", o.status as "status",
  o.status_message as "statusMessage", o.model as "model", o.provider as "provider", o.input_tokens as "inputTokens",
  o.output_tokens as "outputTokens", o.cost::float8 as "cost",
  case when o.bytes_to_here <= $1 then o.input end as "input",
  case when o.bytes_to_here <= $2 then o.output end as "output", o.failed_model_id as "failedModelId",
  o.attributes as "attributes", o.otel_id as "otelId",
  o.bytes_to_here <= $3 or (o.input is null and o.output is null) as "isWhole"
from (
  select *, sum(coalesce(octet_length(input), 0) + coalesce(octet_length(output), 0))
  over (order by started_at, ended_at desc, id) as bytes_to_here
  from (
    select o.*, parent.id as known_parent
    from observation o left join observation parent
    on parent.project_id = o.project_id and parent.trace_id = o.trace_id and parent.id = o.parent_id
    where o.project_id = $4 and o.trace_id = $5
    order by o.started_at, o.ended_at desc, o.id limit $6) first) o
order by o.started_at, o.ended_at desc, o.id;

-- ObservationRepository.ofTrace (without texts)
select o.trace_id as "traceId", o.project_id as "projectId", o.id as "id", o.known_parent as "parentId",
  o.kind as "kind", o.name as "name", o.started_at as "startedAt", o.ended_at as "endedAt", o.status as "status",
  o.status_message as "statusMessage", o.model as "model", o.provider as "provider", o.input_tokens as "inputTokens",
  o.output_tokens as "outputTokens", o.cost::float8 as "cost",
  case when o.bytes_to_here <= $1 then case when o.kind = 'GENERATION' then null else o.input end end as "input",
  case when o.bytes_to_here <= $2 then case when o.kind = 'GENERATION' then null else o.output end end as "output",
  o.failed_model_id as "failedModelId", o.attributes as "attributes", o.otel_id as "otelId",
  o.bytes_to_here <= $3 or (o.input is null and o.output is null) as "isWhole"
from (
  select *, sum(coalesce(octet_length(input), 0) + coalesce(octet_length(output), 0))
  over (order by started_at, ended_at desc, id) as bytes_to_here
  from (
    select o.*, parent.id as known_parent
    from observation o left join observation parent
    on parent.project_id = o.project_id and parent.trace_id = o.trace_id and parent.id = o.parent_id
    where o.project_id = $4 and o.trace_id = $5
    order by o.started_at, o.ended_at desc, o.id limit $6) first) o
order by o.started_at, o.ended_at desc, o.id;

-- ObservationRepository.ofTraces (with texts)
select found.* from unnest($1::text[]) as wanted (trace_id), lateral (
  select o.trace_id as "traceId", o.project_id as "projectId", o.id as "id", parent.id as "parentId", o.kind as "kind",
    o.name as "name", o.started_at as "startedAt", o.ended_at as "endedAt", o.status as "status",
    o.status_message as "statusMessage", o.model as "model", o.provider as "provider", o.input_tokens as "inputTokens",
    o.output_tokens as "outputTokens", o.cost::float8 as "cost", o.input as "input", o.output as "output",
    o.failed_model_id as "failedModelId", o.attributes as "attributes", o.otel_id as "otelId"
  from observation o left join observation parent
  on parent.project_id = o.project_id and parent.trace_id = o.trace_id and parent.id = o.parent_id
  where o.project_id = $2 and o.trace_id = wanted.trace_id
  order by o.started_at, o.ended_at desc, o.id limit $3) found;

-- ObservationRepository.ofTraces (without texts)
select found.* from unnest($1::text[]) as wanted (trace_id), lateral (
  select o.trace_id as "traceId", o.project_id as "projectId", o.id as "id", parent.id as "parentId", o.kind as "kind",
    o.name as "name", o.started_at as "startedAt", o.ended_at as "endedAt", o.status as "status",
    o.status_message as "statusMessage", o.model as "model", o.provider as "provider", o.input_tokens as "inputTokens",
    o.output_tokens as "outputTokens", o.cost::float8 as "cost",
    case when o.kind = 'GENERATION' then null else o.input end as "input",
    case when o.kind = 'GENERATION' then null else o.output end as "output", o.failed_model_id as "failedModelId",
    o.attributes as "attributes", o.otel_id as "otelId"
  from observation o left join observation parent
  on parent.project_id = o.project_id and parent.trace_id = o.trace_id and parent.id = o.parent_id
  where o.project_id = $2 and o.trace_id = wanted.trace_id
  order by o.started_at, o.ended_at desc, o.id limit $3) found;

-- TraceRepository.countOfSession
select count(*)::integer as total from trace where project_id = $1 and session_id = $2;

-- TraceRepository.deleteOfSession
with gone as (
  delete from trace where project_id = $1 and session_id = $2 returning id),
observations as (
  delete from observation o using gone where o.project_id = $3 and o.trace_id = gone.id returning o.id)
select (select count(*)::integer from gone) as traces,
(select count(*)::integer from observations) as observations;

-- TraceRepository.ofSession
select project_id as "projectId", id as "id", app_id as "appId", session_id as "sessionId", started_at as "startedAt",
  ended_at as "endedAt", otel_id as "otelId" from trace where project_id = $1 and session_id = $2
order by started_at, id offset $3 limit $4;

-- TraceRepository.one
select t.project_id as "projectId", t.id as "id", t.app_id as "appId", t.session_id as "sessionId",
  t.started_at as "startedAt", t.ended_at as "endedAt", t.otel_id as "otelId", summary.*
from trace t cross join lateral (
  select coalesce((array_agg(o.name order by o.started_at, o.ended_at desc, o.id) filter (where parent.id is null))[1],
    '') as name,
  case when bool_or(o.status = 'failed') then 'failed' else 'success' end as status,
  count(*)::integer as "observationCount"
  from observation o left join observation parent
  on parent.project_id = o.project_id and parent.trace_id = o.trace_id and parent.id = o.parent_id
  where o.project_id = $1 and o.trace_id = t.id) summary
where t.project_id = $2 and t.id = $3 and t.app_id = $4;

-- TraceRepository.record
-- planned once
with write_1 as (insert into observation (trace_id, project_id, id, parent_id, kind, name, started_at, ended_at, status,
  status_message, model, provider, input_tokens, output_tokens, cost, input, output, failed_model_id, attributes,
  otel_id) select trace_id,
  project_id, id, parent_id, kind, name, started_at, ended_at, status, status_message, model, provider, input_tokens,
  output_tokens, cost, input, output, failed_model_id, attributes, otel_id
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[],
    $8::timestamptz[], $9::text[], $10::text[], $11::text[], $12::text[], $13::integer[], $14::integer[],
      $15::numeric[],
    $16::text[], $17::text[], $18::text[], $19::text[], $20::text[]) as given (trace_id, project_id, id, parent_id,
      kind,
    name, started_at, ended_at, status, status_message, model, provider, input_tokens, output_tokens, cost, input,
      output,
    failed_model_id, attributes, otel_id)
  order by trace_id collate "C", id collate "C" on conflict do nothing),
  pieces as (
  select * from unnest(
    $21::text[], $22::text[],
    $23::timestamptz[], $24::timestamptz[],
    $25::text[]
    ) as piece (trace_id, session_id, started_at, ended_at, otel_id))
insert into trace (project_id, id, app_id, session_id, started_at, ended_at, otel_id)
select $26, trace_id, $27::text, coalesce(min(nullif(session_id, '')), ''), min(started_at),
max(ended_at), min(otel_id)
from pieces group by trace_id order by trace_id collate "C"
on conflict (project_id, id) do update set
session_id = coalesce(nullif(trace.session_id, ''), excluded.session_id),
started_at = least(trace.started_at, excluded.started_at),
ended_at = greatest(trace.ended_at, excluded.ended_at),
otel_id = coalesce(trace.otel_id, excluded.otel_id)
returning id as "id", session_id as "sessionId";

-- TraceRepository.search (a day)
with examined as (
  select t.project_id as "projectId", t.id as "id", t.app_id as "appId", t.session_id as "sessionId",
    t.started_at as "startedAt", t.ended_at as "endedAt", t.otel_id as "otelId",
    (extract(epoch from t.started_at) * 1000000)::float8 as microseconds,
  (row_number() over (order by t.started_at desc, t.id desc))::integer as place
  from trace t where t.project_id = $1 and t.app_id = $2 and t.started_at >= $3::timestamptz
    and t.started_at < $4::timestamptz
  order by t.started_at desc, t.id desc limit $5)
select t.*, summary.*, match."isMatch", t.place = $6::integer as "isLast"
from examined t
cross join lateral (
  select coalesce((array_agg(o.name order by o.started_at, o.ended_at desc, o.id) filter (where parent.id is null))[1],
    '') as name,
  case when bool_or(o.status = 'failed') then 'failed' else 'success' end as status,
  count(*)::integer as "observationCount"
  from observation o left join observation parent
  on parent.project_id = o.project_id and parent.trace_id = o.trace_id and parent.id = o.parent_id
  where o.project_id = $7 and o.trace_id = t.id) summary
cross join lateral (select true as "isMatch") match
where match."isMatch" or t.place = $8::integer
order by t.place limit $9;

-- TraceRepository.search (a day, all filters, a later page)
with examined as (
  select t.project_id as "projectId", t.id as "id", t.app_id as "appId", t.session_id as "sessionId",
    t.started_at as "startedAt", t.ended_at as "endedAt", t.otel_id as "otelId",
    (extract(epoch from t.started_at) * 1000000)::float8 as microseconds,
  (row_number() over (order by t.started_at desc, t.id desc))::integer as place
  from trace t where t.project_id = $1 and t.app_id = $2 and t.started_at >= $3::timestamptz
    and t.started_at < $4::timestamptz and t.session_id = $5
    and t.started_at <= timestamptz 'epoch' + $6::float8 * interval '1 microsecond'
    and (t.started_at, t.id) < (timestamptz 'epoch' + $7::float8 * interval '1 microsecond', $8)
  order by t.started_at desc, t.id desc limit $9)
select t.*, summary.*, match."isMatch", t.place = $10::integer as "isLast"
from examined t
cross join lateral (
  select coalesce((array_agg(o.name order by o.started_at, o.ended_at desc, o.id) filter (where parent.id is null))[1],
    '') as name,
  case when bool_or(o.status = 'failed') then 'failed' else 'success' end as status,
  count(*)::integer as "observationCount"
  from observation o left join observation parent
  on parent.project_id = o.project_id and parent.trace_id = o.trace_id and parent.id = o.parent_id
  where o.project_id = $11 and o.trace_id = t.id) summary
cross join lateral (select summary.name = $12 and summary.status = $13 and
  exists (select from observation o where o.project_id = $14 and o.trace_id = t.id
    and o.otel_id = $15) as "isMatch") match
where match."isMatch" or t.place = $16::integer
order by t.place limit $17;
