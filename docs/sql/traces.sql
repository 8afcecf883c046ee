-- Made from the code by `npm run docs`; changes here are lost.

-- ObservationRepository.ofTraces (with texts)
select found.* from unnest($1::text[]) as wanted (trace_id), lateral (
  select o.trace_id as "traceId", o.project_id as "projectId", o.id as "id", parent.id as "parentId", o.kind as "kind",
    o.name as "name", o.started_at as "startedAt", o.ended_at as "endedAt", o.status as "status",
    o.status_message as "statusMessage", o.model as "model", o.provider as "provider", o.input_tokens as "inputTokens",
    o.output_tokens as "outputTokens", o.cost::float8 as "cost", o.input as "input", o.output as "output",
    o.attributes as "attributes"
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
    case when o.kind = 'GENERATION' then null else o.output end as "output", o.attributes as "attributes"
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
  ended_at as "endedAt" from trace where project_id = $1 and session_id = $2
order by started_at, id offset $3 limit $4;

-- TraceRepository.record
-- planned once
with write_1 as (insert into observation (trace_id, project_id, id, parent_id, kind, name, started_at, ended_at, status,
  status_message, model, provider, input_tokens, output_tokens, cost, input, output, attributes) select trace_id,
  project_id, id, parent_id, kind, name, started_at, ended_at, status, status_message, model, provider, input_tokens,
  output_tokens, cost, input, output, attributes
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[],
    $8::timestamptz[], $9::text[], $10::text[], $11::text[], $12::text[], $13::integer[], $14::integer[],
      $15::numeric[],
    $16::text[], $17::text[], $18::text[]) as given (trace_id, project_id, id, parent_id, kind, name, started_at,
    ended_at, status, status_message, model, provider, input_tokens, output_tokens, cost, input, output, attributes)
  order by trace_id, id on conflict do nothing),
  pieces as (
  select * from unnest(
    $19::text[], $20::text[],
    $21::timestamptz[], $22::timestamptz[]
    ) as piece (trace_id, session_id, started_at, ended_at))
insert into trace (project_id, id, app_id, session_id, started_at, ended_at)
select $23, trace_id, $24::text, coalesce(min(nullif(session_id, '')), ''), min(started_at),
max(ended_at)
from pieces group by trace_id order by trace_id
on conflict (project_id, id) do update set
session_id = coalesce(nullif(trace.session_id, ''), excluded.session_id),
started_at = least(trace.started_at, excluded.started_at),
ended_at = greatest(trace.ended_at, excluded.ended_at)
returning id as "id", session_id as "sessionId";
