-- Made from the code by `npm run docs`; changes here are lost.

-- CallPayloadRepository.deleteOfSession
-- takes the lock 'ledger'
with wanted as (
  update ledger_row set payload_bytes = 0
  where project_id = $1 and session_id = $2 and payload_bytes > 0 returning n, ts),
gone as (
  delete from ledger_payload p using wanted
  where p.project_id = $3 and p.n = wanted.n and p.ts = wanted.ts)
select count(*)::integer as count from wanted;

-- CallRepository.add
-- planned once, takes the lock 'ledger'
with given as (
  select * from unnest(
    $1::text[], $2::timestamptz[],
    $3::text[], $4::uuid[],
    $5::numeric[], $6::"char"[],
    $7::integer[],
    $8::integer[],
    $9::bigint[],
    $10::bigint[],
    $11::bigint[],
    $12::bigint[],
    $13::text[],
    $14::text[],
    $15::text[],
    $16::integer[]
    ) as call (call_id, ts, session_id, dim, cost, pricing, latency_ms, first_token_ms, input_tokens,
    cached_tokens, completion_tokens, reasoning_tokens, id_head, doc_head, doc_tail, given_bytes)),
policy as (
  select exists (select from ledger_policy where project_id = $17 and payloads = 'drop') as drops,
  coalesce((select payloads_before from ledger_expiry where project_id = $18), '-infinity') as due),
known as (
  insert into ledger_key (project_id, call_id, ts)
  select $19, call_id, ts from given order by call_id collate "C"
  on conflict do nothing returning call_id),
added as (
  select given.*, nextval('ledger_call_number') as n,
    case when drops or ts < due then 0 else given_bytes end as payload_bytes
  from given join known using (call_id) cross join policy),
inserted as (
  insert into ledger_row (project_id, n, ts, total_tokens, input_tokens, cached_tokens, completion_tokens,
    reasoning_tokens, latency_ms, payload_bytes, dim, cost, pricing, session_id, id, doc, first_token_ms) select $20,
    n, ts, input_tokens + completion_tokens + reasoning_tokens, input_tokens, cached_tokens, completion_tokens,
    reasoning_tokens, latency_ms, payload_bytes, dim, cost, pricing, session_id, id_head || n,
      doc_head || n || doc_tail,
    first_token_ms from added),
payloads as (
  insert into ledger_payload (project_id, n, ts, payload)
  select $21, n, ts, payload
  from (
    select * from unnest($22::text[], $23::text[]) as call (call_id, payload)) as payload_of join added using (call_id)
      where payload_bytes > 0),
dims as (
  insert into ledger_dim (project_id, dim, channel, channel_type, source, source_folded, source_subtype, status,
    model, provider, environment, agent_name)
  select $24, * from unnest(
    $25::uuid[], $26::text[],
    $27::text[], $28::text[],
    $29::text[], $30::text[],
    $31::text[], $32::text[],
    $33::text[], $34::text[],
    $35::text[]) as new (dim)
  order by dim on conflict do nothing),
sums as (
  insert into ledger_rollup (project_id, bucket, dim, grain, is_new, n, input_tokens, cached_tokens, completion_tokens,
    reasoning_tokens, latency_ms, cost)
  select $36, bucket, coalesce(dim, '00000000-0000-0000-0000-000000000000'::uuid), grain, true, count(*),
    sum(input_tokens), sum(cached_tokens), sum(completion_tokens), sum(reasoning_tokens), sum(latency_ms), sum(cost)
  from added,
  lateral (values ('h'::"char", date_trunc('hour', ts, 'UTC')), ('d', date_trunc('day', ts, 'UTC')))
  as grains (grain, bucket)
  group by grouping sets ((grain, bucket, dim), (grain, bucket)))
select call_id as "callId" from known;

-- CallRepository.add (with two writes)
-- planned once, takes the lock 'ledger'
with write_1 as ((a write)), before as ((one that comes first)), given as (
  select * from unnest(
    $1::text[], $2::timestamptz[],
    $3::text[], $4::uuid[],
    $5::numeric[], $6::"char"[],
    $7::integer[],
    $8::integer[],
    $9::bigint[],
    $10::bigint[],
    $11::bigint[],
    $12::bigint[],
    $13::text[],
    $14::text[],
    $15::text[],
    $16::integer[]
    ) as call (call_id, ts, session_id, dim, cost, pricing, latency_ms, first_token_ms, input_tokens,
    cached_tokens, completion_tokens, reasoning_tokens, id_head, doc_head, doc_tail, given_bytes)
      where (select count(*) from before) >= 0),
policy as (
  select exists (select from ledger_policy where project_id = $17 and payloads = 'drop') as drops,
  coalesce((select payloads_before from ledger_expiry where project_id = $18), '-infinity') as due),
known as (
  insert into ledger_key (project_id, call_id, ts)
  select $19, call_id, ts from given order by call_id collate "C"
  on conflict do nothing returning call_id),
added as (
  select given.*, nextval('ledger_call_number') as n,
    case when drops or ts < due then 0 else given_bytes end as payload_bytes
  from given join known using (call_id) cross join policy),
inserted as (
  insert into ledger_row (project_id, n, ts, total_tokens, input_tokens, cached_tokens, completion_tokens,
    reasoning_tokens, latency_ms, payload_bytes, dim, cost, pricing, session_id, id, doc, first_token_ms) select $20,
    n, ts, input_tokens + completion_tokens + reasoning_tokens, input_tokens, cached_tokens, completion_tokens,
    reasoning_tokens, latency_ms, payload_bytes, dim, cost, pricing, session_id, id_head || n,
      doc_head || n || doc_tail,
    first_token_ms from added),
payloads as (
  insert into ledger_payload (project_id, n, ts, payload)
  select $21, n, ts, payload
  from (
    select * from unnest($22::text[], $23::text[]) as call (call_id, payload)) as payload_of join added using (call_id)
      where payload_bytes > 0),
dims as (
  insert into ledger_dim (project_id, dim, channel, channel_type, source, source_folded, source_subtype, status,
    model, provider, environment, agent_name)
  select $24, * from unnest(
    $25::uuid[], $26::text[],
    $27::text[], $28::text[],
    $29::text[], $30::text[],
    $31::text[], $32::text[],
    $33::text[], $34::text[],
    $35::text[]) as new (dim)
  order by dim on conflict do nothing),
sums as (
  insert into ledger_rollup (project_id, bucket, dim, grain, is_new, n, input_tokens, cached_tokens, completion_tokens,
    reasoning_tokens, latency_ms, cost)
  select $36, bucket, coalesce(dim, '00000000-0000-0000-0000-000000000000'::uuid), grain, true, count(*),
    sum(input_tokens), sum(cached_tokens), sum(completion_tokens), sum(reasoning_tokens), sum(latency_ms), sum(cost)
  from added,
  lateral (values ('h'::"char", date_trunc('hour', ts, 'UTC')), ('d', date_trunc('day', ts, 'UTC')))
  as grains (grain, bucket)
  group by grouping sets ((grain, bucket, dim), (grain, bucket)))
select call_id as "callId" from known;

-- CallRepository.compactRollup
with appended as (
  select distinct project_id, grain, dim, bucket
  from (select * from ledger_rollup where is_new limit $1) new),
taken as (
  delete from ledger_rollup s using appended a
  where s.project_id = a.project_id and s.grain = a.grain and s.dim = a.dim and s.bucket = a.bucket
  returning s.*),
added_up as (
  insert into ledger_rollup (project_id, bucket, dim, grain, is_new, n, input_tokens, cached_tokens, completion_tokens,
    reasoning_tokens, latency_ms, cost)
  select project_id, bucket, dim, grain, false, sum(n), sum(input_tokens), sum(cached_tokens), sum(completion_tokens),
    sum(reasoning_tokens), sum(latency_ms), sum(cost)
  from taken group by project_id, bucket, dim, grain
  having sum(n) <> 0 or sum(cost) <> 0)
select count(*)::integer as taken from taken;

-- CallRepository.dimsWithChannelOrEnvironment
select d.project_id as "projectId", d.dim, d.channel, d.channel_type as "channelType", d.source,
d.source_folded as "sourceFolded", d.source_subtype as subtype, d.status, d.model, d.provider,
d.environment, d.agent_name as name
from ledger_dim d
where d.source_folded = any($1::text[])
and (d.channel, d.channel_type, d.environment) <> ('', '', '')
and exists (select from ledger_row r where r.project_id = d.project_id and r.dim = d.dim)
and d.project_id not in (select project_id from ledger_repricing where state = 'IN_PROGRESS')
order by d.project_id, d.dim limit $2;

-- CallRepository.eachOfPage (30 days, newest)
-- planned once for all values
select 0 as value, p.ts as time, p.id,
p.doc || case when not
(p.payload_bytes > 0 and p.ts >= coalesce((select payloads_before from ledger_expiry where project_id = $1),
    '-infinity')) then ',"payloadState":"missing"}'
when coalesce((select payloads = 'omit' from ledger_policy where project_id = $2),
  false) then ',"payloadState":"omitted"}'
else ',"payloadState":"available"}' end as text,
(count(*) over ())::integer as found
from (
  select r.* from ledger_row r where r.project_id = $3 and r.ts >= $4::timestamptz and r.ts < $5::timestamptz and true
  order by r.ts desc, r.id desc limit $6 offset $7) p;

-- CallRepository.fullPage (30 days, newest)
with page as (
  select *, row_number() over () as place from (
    select r.* from ledger_row r where r.project_id = $1 and r.ts >= $2::timestamptz and r.ts < $3::timestamptz and true
    order by r.ts desc, r.id desc limit $4 offset $5) r),
sized as (
  select *, count(*) over () as found,
  sum(octet_length(p.doc)
    + case when
    (p.payload_bytes > 0 and p.ts >= coalesce((select payloads_before from ledger_expiry where project_id = $6),
        '-infinity'))
          and not coalesce((select payloads = 'omit' from ledger_policy where project_id = $7),
            false) then p.payload_bytes else 0 end)
  over (order by place) as bytes_to_here
  from page p)
select 0 as value, p.ts as time, p.id, p.found::integer as found, not p.bytes_to_here <= $8 as "isTooLarge",
p.doc || case when not
(p.payload_bytes > 0 and p.ts >= coalesce((select payloads_before from ledger_expiry where project_id = $9),
    '-infinity')) then ',"payloadState":"missing"}'
when coalesce((select payloads = 'omit' from ledger_policy where project_id = $10),
  false) then ',"payloadState":"omitted"}'
when stored.payload is null then ',"payloadState":"unknown"}'
else ',"payloadState":"available","payload":' || stored.payload || '}' end as text
from sized p
left join ledger_payload stored
on p.bytes_to_here <= $11 and stored.project_id = $12 and stored.n = p.n and stored.ts = p.ts
where p.bytes_to_here <= $13 or p.place = 1
order by p.place;

-- CallRepository.hoursOf (a day)
-- planned once for all values
select s.bucket as "from", s.bucket + interval '1 hour' as "to", sum(s.n)::float8 as count
from
ledger_rollup s
where s.project_id = $1 and s.grain = 'h'::"char" and s.dim = '00000000-0000-0000-0000-000000000000'::uuid
and s.bucket >= $2::timestamptz and s.bucket < $3::timestamptz group by s.bucket order by "from";

-- CallRepository.matchingDims (all filters)
select dim from ledger_dim where project_id = $1 and channel = $2 and channel_type = $3
  and source_folded = any($4::text[]) and source_subtype = any($5::text[]) and status = $6 and model = $7
  and provider = $8 and environment = $9 and agent_name = $10;

-- CallRepository.matchingDims (two filters)
select dim from ledger_dim where project_id = $1 and status = $2 and model = $3;

-- CallRepository.nextToReprice
select project_id as "projectId", n::float8 as "number", ts as "time", total_tokens::float8 as "totalTokens",
  input_tokens as "inputTokens", cached_tokens as "cachedTokens", completion_tokens as "completionTokens",
  reasoning_tokens as "reasoningTokens", latency_ms as "latencyMs", payload_bytes as "payloadBytes", dim as "dim",
  cost::float8 as "cost", pricing as "pricing", session_id as "sessionId", id as "id", doc as "doc",
  first_token_ms as "timeToFirstTokenMs" from ledger_row
where project_id = $1 and ts >= $2::timestamptz and ts < $3::timestamptz
and pricing <> 'o' and (ts, n) > ($4::timestamptz, $5::bigint)
order by ts, n limit $6;

-- CallRepository.one (full)
with page as (
  select *, row_number() over () as place from (
    select * from ledger_row r
    where r.project_id = $1 and r.ts = any($2::timestamptz[]) and r.id = $3) r),
sized as (
  select *, count(*) over () as found,
  sum(octet_length(p.doc)
    + case when
    (p.payload_bytes > 0 and p.ts >= coalesce((select payloads_before from ledger_expiry where project_id = $4),
        '-infinity'))
          and not coalesce((select payloads = 'omit' from ledger_policy where project_id = $5),
            false) then p.payload_bytes else 0 end)
  over (order by place) as bytes_to_here
  from page p)
select 0 as value, p.ts as time, p.id, p.found::integer as found, not true as "isTooLarge",
p.doc || case when not
(p.payload_bytes > 0 and p.ts >= coalesce((select payloads_before from ledger_expiry where project_id = $6),
    '-infinity')) then ',"payloadState":"missing"}'
when coalesce((select payloads = 'omit' from ledger_policy where project_id = $7),
  false) then ',"payloadState":"omitted"}'
when stored.payload is null then ',"payloadState":"unknown"}'
else ',"payloadState":"available","payload":' || stored.payload || '}' end as text
from sized p
left join ledger_payload stored
on true and stored.project_id = $8 and stored.n = p.n and stored.ts = p.ts
where true or p.place = 1
order by p.place;

-- CallRepository.one (summary)
select 0 as value, p.ts as time, p.id,
p.doc || case when not
(p.payload_bytes > 0 and p.ts >= coalesce((select payloads_before from ledger_expiry where project_id = $1),
    '-infinity')) then ',"payloadState":"missing"}'
when coalesce((select payloads = 'omit' from ledger_policy where project_id = $2),
  false) then ',"payloadState":"omitted"}'
else ',"payloadState":"available"}' end as text,
(count(*) over ())::integer as found
from (
  select * from ledger_row r
  where r.project_id = $3 and r.ts = any($4::timestamptz[]) and r.id = $5) p;

-- CallRepository.page (30 days, by cost, a session)
select count(*)::integer as count, string_agg(
  p.doc || case when not
  (p.payload_bytes > 0 and p.ts >= coalesce((select payloads_before from ledger_expiry where project_id = $1),
      '-infinity')) then ',"payloadState":"missing"}'
  when coalesce((select payloads = 'omit' from ledger_policy where project_id = $2),
    false) then ',"payloadState":"omitted"}'
  else ',"payloadState":"available"}' end, ',') as text,
min(p.cost::float8) as "lastValue",
(array_agg(p.ts))[count(*)] as "lastTime", (array_agg(p.id))[count(*)] as "lastId"
from (
  select * from (
    with few as materialized (select r.* from ledger_row r where r.project_id = $3 and r.ts >= $4::timestamptz
      and r.ts < $5::timestamptz and r.session_id = any($6::text[]))
    select r.* from few r where true
    order by r.cost desc, r.ts desc, r.id desc limit $7 offset $8) page) p;

-- CallRepository.page (30 days, by cost, two filters that match many)
select count(*)::integer as count, string_agg(
  p.doc || case when not
  (p.payload_bytes > 0 and p.ts >= coalesce((select payloads_before from ledger_expiry where project_id = $1),
      '-infinity')) then ',"payloadState":"missing"}'
  when coalesce((select payloads = 'omit' from ledger_policy where project_id = $2),
    false) then ',"payloadState":"omitted"}'
  else ',"payloadState":"available"}' end, ',') as text,
min(p.cost::float8) as "lastValue",
(array_agg(p.ts))[count(*)] as "lastTime", (array_agg(p.id))[count(*)] as "lastId"
from (
  select * from (
    with few as materialized (
      select r.* from unnest($3::uuid[]) as wanted (dim)
      cross join lateral (
        select r.* from ledger_row r where r.project_id = $4 and r.ts >= $5::timestamptz and r.ts < $6::timestamptz
          and r.dim = wanted.dim offset 0) r)
    select r.* from few r where true
    order by r.cost desc, r.ts desc, r.id desc limit $7 offset $8) page) p;

-- CallRepository.page (30 days, by cost, two filters)
select count(*)::integer as count, string_agg(
  p.doc || case when not
  (p.payload_bytes > 0 and p.ts >= coalesce((select payloads_before from ledger_expiry where project_id = $1),
      '-infinity')) then ',"payloadState":"missing"}'
  when coalesce((select payloads = 'omit' from ledger_policy where project_id = $2),
    false) then ',"payloadState":"omitted"}'
  else ',"payloadState":"available"}' end, ',') as text,
min(p.cost::float8) as "lastValue",
(array_agg(p.ts))[count(*)] as "lastTime", (array_agg(p.id))[count(*)] as "lastId"
from (
  select * from (
    with few as materialized (
      select r.* from unnest($3::uuid[]) as wanted (dim)
      cross join lateral (
        select r.* from ledger_row r where r.project_id = $4 and r.ts >= $5::timestamptz and r.ts < $6::timestamptz
          and r.dim = wanted.dim offset 0) r)
    select r.* from few r where true
    order by r.cost desc, r.ts desc, r.id desc limit $7 offset $8) page) p;

-- CallRepository.page (30 days, by cost, two filters, a later page)
select count(*)::integer as count, string_agg(
  p.doc || case when not
  (p.payload_bytes > 0 and p.ts >= coalesce((select payloads_before from ledger_expiry where project_id = $1),
      '-infinity')) then ',"payloadState":"missing"}'
  when coalesce((select payloads = 'omit' from ledger_policy where project_id = $2),
    false) then ',"payloadState":"omitted"}'
  else ',"payloadState":"available"}' end, ',') as text,
min(p.cost::float8) as "lastValue",
(array_agg(p.ts))[count(*)] as "lastTime", (array_agg(p.id))[count(*)] as "lastId"
from (
  select * from (
    with few as materialized (
      select r.* from unnest($3::uuid[]) as wanted (dim)
      cross join lateral (
        select r.* from ledger_row r where r.project_id = $4 and r.ts >= $5::timestamptz and r.ts < $6::timestamptz
          and r.dim = wanted.dim offset 0) r)
    select r.* from few r where (r.cost, r.ts, r.id) < ($7, $8::timestamptz, $9)
    order by r.cost desc, r.ts desc, r.id desc limit $10 offset $11) page) p;

-- CallRepository.page (30 days, far into the newest)
-- planned once for all values
select count(*)::integer as count, string_agg(
  p.doc || case when not
  (p.payload_bytes > 0 and p.ts >= coalesce((select payloads_before from ledger_expiry where project_id = $1),
      '-infinity')) then ',"payloadState":"missing"}'
  when coalesce((select payloads = 'omit' from ledger_policy where project_id = $2),
    false) then ',"payloadState":"omitted"}'
  else ',"payloadState":"available"}' end, ',') as text,
min(0) as "lastValue",
min(p.ts) as "lastTime", (array_agg(p.id))[count(*)] as "lastId"
from (
  select r.* from (
    select r.ts from ledger_row r where r.project_id = $3 and r.ts >= $4::timestamptz and r.ts < $5::timestamptz
      order by r.ts desc limit 1 offset $6) start
  cross join lateral (
    select r.* from ledger_row r where r.project_id = $7 and r.ts >= $8::timestamptz and r.ts < $9::timestamptz
      and r.ts <= start.ts order by r.ts desc, r.id desc limit $10
    offset $11::bigint - (select count(*) from ledger_row r where r.project_id = $12 and r.ts >= $13::timestamptz
      and r.ts < $14::timestamptz and r.ts > start.ts)) r) p;

-- CallRepository.page (30 days, newest)
-- planned once for all values
select count(*)::integer as count, string_agg(
  p.doc || case when not
  (p.payload_bytes > 0 and p.ts >= coalesce((select payloads_before from ledger_expiry where project_id = $1),
      '-infinity')) then ',"payloadState":"missing"}'
  when coalesce((select payloads = 'omit' from ledger_policy where project_id = $2),
    false) then ',"payloadState":"omitted"}'
  else ',"payloadState":"available"}' end, ',') as text,
min(0) as "lastValue",
min(p.ts) as "lastTime", (array_agg(p.id))[count(*)] as "lastId"
from (
  select r.* from ledger_row r where r.project_id = $3 and r.ts >= $4::timestamptz and r.ts < $5::timestamptz and true
  order by r.ts desc, r.id desc limit $6 offset $7) p;

-- CallRepository.page (30 days, newest, a later page)
-- planned once for all values
select count(*)::integer as count, string_agg(
  p.doc || case when not
  (p.payload_bytes > 0 and p.ts >= coalesce((select payloads_before from ledger_expiry where project_id = $1),
      '-infinity')) then ',"payloadState":"missing"}'
  when coalesce((select payloads = 'omit' from ledger_policy where project_id = $2),
    false) then ',"payloadState":"omitted"}'
  else ',"payloadState":"available"}' end, ',') as text,
min(0) as "lastValue",
min(p.ts) as "lastTime", (array_agg(p.id))[count(*)] as "lastId"
from (
  select r.* from ledger_row r where r.project_id = $3 and r.ts >= $4::timestamptz and r.ts < $5::timestamptz
    and (r.ts, r.id) < ($6::timestamptz, $7)
  order by r.ts desc, r.id desc limit $8 offset $9) p;

-- CallRepository.page (30 days, oldest, a later page)
-- planned once for all values
select count(*)::integer as count, string_agg(
  p.doc || case when not
  (p.payload_bytes > 0 and p.ts >= coalesce((select payloads_before from ledger_expiry where project_id = $1),
      '-infinity')) then ',"payloadState":"missing"}'
  when coalesce((select payloads = 'omit' from ledger_policy where project_id = $2),
    false) then ',"payloadState":"omitted"}'
  else ',"payloadState":"available"}' end, ',') as text,
max(0) as "lastValue",
max(p.ts) as "lastTime", (array_agg(p.id))[count(*)] as "lastId"
from (
  select r.* from ledger_row r where r.project_id = $3 and r.ts >= $4::timestamptz and r.ts < $5::timestamptz
    and (r.ts, r.id) > ($6::timestamptz, $7)
  order by r.ts asc, r.id asc limit $8 offset $9) p;

-- CallRepository.pageWithTotal (40 minutes, newest)
-- planned once for all values
select counted.total, page.*
from (select ((select count(*) from ledger_row r where r.project_id = $1 and r.ts >= $2::timestamptz
  and r.ts < $3::timestamptz) + (select coalesce(sum(s.n), 0)::bigint from
      ledger_rollup s
      where s.project_id = $4 and s.grain = 'h'::"char" and s.dim = '00000000-0000-0000-0000-000000000000'::uuid
      and s.bucket >= $5::timestamptz and s.bucket < $6::timestamptz) + (select coalesce(sum(s.n), 0)::bigint from
      ledger_rollup s
      where s.project_id = $7 and s.grain = 'd'::"char" and s.dim = '00000000-0000-0000-0000-000000000000'::uuid
      and s.bucket >= $8::timestamptz and s.bucket < $9::timestamptz) + (select coalesce(sum(s.n), 0)::bigint from
      ledger_rollup s
      where s.project_id = $10 and s.grain = 'h'::"char" and s.dim = '00000000-0000-0000-0000-000000000000'::uuid
      and s.bucket >= $11::timestamptz and s.bucket < $12::timestamptz) + (select count(*) from ledger_row r
        where r.project_id = $13 and r.ts >= $14::timestamptz and r.ts < $15::timestamptz))::float8 as total) counted,
        (
  select count(*)::integer as count, string_agg(
    p.doc || case when not
    (p.payload_bytes > 0 and p.ts >= coalesce((select payloads_before from ledger_expiry where project_id = $16),
        '-infinity')) then ',"payloadState":"missing"}'
    when coalesce((select payloads = 'omit' from ledger_policy where project_id = $17),
      false) then ',"payloadState":"omitted"}'
    else ',"payloadState":"available"}' end, ',') as text,
  min(0) as "lastValue",
  min(p.ts) as "lastTime", (array_agg(p.id))[count(*)] as "lastId"
  from (
    select r.* from ledger_row r where r.project_id = $18 and r.ts >= $19::timestamptz and r.ts < $20::timestamptz
      and true
    order by r.ts desc, r.id desc limit $21 offset $22) p) page;

-- CallRepository.percentiles (an hour)
select span.place::int4 as place, found.*
from unnest($1::timestamptz[], $2::timestamptz[]) with ordinality as span (begins, ends, place)
cross join lateral (
  select
  count(*)::float8 as calls,
    count(*) filter (where r.dim in (select dim from ledger_dim where project_id = $3
      and status = 'failed'))::float8 as failed,
  percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.latency_ms) as "latencyMs",
  percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.first_token_ms) as "timeToFirstTokenMs"
  from ledger_row r where r.project_id = $4 and r.ts >= span.begins and r.ts < span.ends) found
order by span.place;

-- CallRepository.percentiles (an hour, a session)
select span.place::int4 as place, found.*
from unnest($1::timestamptz[], $2::timestamptz[]) with ordinality as span (begins, ends, place)
cross join lateral (
  select
  count(*)::float8 as calls,
    count(*) filter (where r.dim in (select dim from ledger_dim where project_id = $3
      and status = 'failed'))::float8 as failed,
  percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.latency_ms) as "latencyMs",
  percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.first_token_ms) as "timeToFirstTokenMs"
  from ledger_row r where r.project_id = $4 and r.ts >= span.begins and r.ts < span.ends
    and r.session_id = any($5::text[])) found
order by span.place;

-- CallRepository.percentiles (an hour, two filters that match many)
select span.place::int4 as place, found.*
from unnest($1::timestamptz[], $2::timestamptz[]) with ordinality as span (begins, ends, place)
cross join lateral (
  select
  count(*)::float8 as calls,
    count(*) filter (where r.dim in (select dim from ledger_dim where project_id = $3
      and status = 'failed'))::float8 as failed,
  percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.latency_ms) as "latencyMs",
  percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.first_token_ms) as "timeToFirstTokenMs"
  from ledger_row r where r.project_id = $4 and r.ts >= span.begins and r.ts < span.ends
    and (r.dim in (select dim from ledger_dim where project_id = $5 and status = $6 and model = $7)) is true) found
order by span.place;

-- CallRepository.percentiles (an hour, two filters)
select span.place::int4 as place, found.*
from unnest($1::timestamptz[], $2::timestamptz[]) with ordinality as span (begins, ends, place)
cross join lateral (
  select
  count(*)::float8 as calls,
    count(*) filter (where r.dim in (select dim from ledger_dim where project_id = $3
      and status = 'failed'))::float8 as failed,
  percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.latency_ms) as "latencyMs",
  percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.first_token_ms) as "timeToFirstTokenMs"
  from ledger_row r where r.project_id = $4 and r.ts >= span.begins and r.ts < span.ends
    and r.dim = any($5::uuid[])) found
order by span.place;

-- CallRepository.percentilesByGroup (an hour, by model)
select span.place::int4 as place, found.*
from unnest($1::timestamptz[], $2::timestamptz[]) with ordinality as span (begins, ends, place)
cross join lateral (
  select r.key as "group",
  count(*)::float8 as calls, count(*) filter (where r.status = 'failed')::float8 as failed,
  percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.latency_ms) as "latencyMs",
  percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.first_token_ms) as "timeToFirstTokenMs"
  from (select case when d.model = any($3::text[]) then d.model end as key, d.status, r.latency_ms, r.first_token_ms
    from
    ledger_row r
    join ledger_dim d on d.project_id = $4 and d.dim = r.dim
    where r.project_id = $5 and r.ts >= span.begins and r.ts < span.ends) r
  group by grouping sets ((), (r.key)) having (grouping(r.key) = 1 or r.key is not null)) found
order by span.place;

-- CallRepository.percentilesByGroup (an hour, by model, a session)
select span.place::int4 as place, found.*
from unnest($1::timestamptz[], $2::timestamptz[]) with ordinality as span (begins, ends, place)
cross join lateral (
  select r.key as "group",
  count(*)::float8 as calls, count(*) filter (where r.status = 'failed')::float8 as failed,
  percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.latency_ms) as "latencyMs",
  percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.first_token_ms) as "timeToFirstTokenMs"
  from (select case when d.model = any($3::text[]) then d.model end as key, d.status, r.latency_ms, r.first_token_ms
    from
    ledger_row r
    join ledger_dim d on d.project_id = $4 and d.dim = r.dim
    where r.project_id = $5 and r.ts >= span.begins and r.ts < span.ends and r.session_id = any($6::text[])) r
  group by grouping sets ((), (r.key)) having (grouping(r.key) = 1 or r.key is not null)) found
order by span.place;

-- CallRepository.percentilesByGroup (an hour, by model, two filters)
select span.place::int4 as place, found.*
from unnest($1::timestamptz[], $2::timestamptz[]) with ordinality as span (begins, ends, place)
cross join lateral (
  select r.key as "group",
  count(*)::float8 as calls, count(*) filter (where r.status = 'failed')::float8 as failed,
  percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.latency_ms) as "latencyMs",
  percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.first_token_ms) as "timeToFirstTokenMs"
  from (select case when d.model = any($3::text[]) then d.model end as key, d.status, r.latency_ms, r.first_token_ms
    from
    ledger_row r
    join ledger_dim d on d.project_id = $4 and d.dim = r.dim
    where r.project_id = $5 and r.ts >= span.begins and r.ts < span.ends and r.dim = any($6::uuid[])) r
  group by grouping sets ((), (r.key)) having (grouping(r.key) = 1 or r.key is not null)) found
order by span.place;

-- CallRepository.percentilesOfAll (an hour)
select place,
count(*)::float8 as calls, count(*) filter (where r.status = 'failed')::float8 as failed,
percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.latency_ms) as "latencyMs",
percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.first_token_ms) as "timeToFirstTokenMs"
from (
  select width_bucket(r.ts, $1::timestamptz[]) as place, d.status, r.latency_ms, r.first_token_ms
  from project p
  join ledger_row r on r.project_id = p.id and r.ts >= $2::timestamptz and r.ts < $3::timestamptz
  join ledger_dim d on d.project_id = p.id and d.dim = coalesce(r.dim, r.dim)
  offset 0) r
group by place order by place;

-- CallRepository.percentilesOfAll (an hour, of two projects)
select place,
count(*)::float8 as calls, count(*) filter (where r.status = 'failed')::float8 as failed,
percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.latency_ms) as "latencyMs",
percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.first_token_ms) as "timeToFirstTokenMs"
from (
  select width_bucket(r.ts, $1::timestamptz[]) as place, d.status, r.latency_ms, r.first_token_ms
  from unnest($2::text[]) as p (id)
  join ledger_row r on r.project_id = p.id and r.ts >= $3::timestamptz and r.ts < $4::timestamptz
  join ledger_dim d on d.project_id = p.id and d.dim = coalesce(r.dim, r.dim)
  offset 0) r
group by place order by place;

-- CallRepository.percentilesOfAll (an hour, two filters)
select place,
count(*)::float8 as calls, count(*) filter (where r.status = 'failed')::float8 as failed,
percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.latency_ms) as "latencyMs",
percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.first_token_ms) as "timeToFirstTokenMs"
from (
  select width_bucket(r.ts, $1::timestamptz[]) as place, d.status, r.latency_ms, r.first_token_ms
  from project p
  join ledger_row r on r.project_id = p.id and r.ts >= $2::timestamptz and r.ts < $3::timestamptz
  join ledger_dim d on d.project_id = p.id and d.dim = coalesce(r.dim, r.dim)
  where status = $4 and model = $5
  offset 0) r
group by place order by place;

-- CallRepository.percentilesOfAllByGroup (an hour, by model)
select place, r.key as "group",
count(*)::float8 as calls, count(*) filter (where r.status = 'failed')::float8 as failed,
percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.latency_ms) as "latencyMs",
percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.first_token_ms) as "timeToFirstTokenMs"
from (
  select width_bucket(r.ts, $1::timestamptz[]) as place, case when d.model = any($2::text[]) then d.model end as key,
    d.status, r.latency_ms, r.first_token_ms
  from project p
  join ledger_row r on r.project_id = p.id and r.ts >= $3::timestamptz and r.ts < $4::timestamptz
  join ledger_dim d on d.project_id = p.id and d.dim = coalesce(r.dim, r.dim)
  offset 0) r
group by grouping sets ((place), (place, r.key)) having (grouping(r.key) = 1 or r.key is not null) order by place;

-- CallRepository.percentilesOfAllByGroup (an hour, by model, two filters)
select place, r.key as "group",
count(*)::float8 as calls, count(*) filter (where r.status = 'failed')::float8 as failed,
percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.latency_ms) as "latencyMs",
percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.first_token_ms) as "timeToFirstTokenMs"
from (
  select width_bucket(r.ts, $1::timestamptz[]) as place, case when d.model = any($2::text[]) then d.model end as key,
    d.status, r.latency_ms, r.first_token_ms
  from project p
  join ledger_row r on r.project_id = p.id and r.ts >= $3::timestamptz and r.ts < $4::timestamptz
  join ledger_dim d on d.project_id = p.id and d.dim = coalesce(r.dim, r.dim)
  where status = $5 and model = $6
  offset 0) r
group by grouping sets ((place), (place, r.key)) having (grouping(r.key) = 1 or r.key is not null) order by place;

-- CallRepository.removeChannelAndEnvironment
-- takes the lock 'ledger'
with due as (
  select ts, n from ledger_row where project_id = $1 and dim = $2::uuid
  order by ts limit $3 for update skip locked),
dims as (
  insert into ledger_dim (project_id, dim, channel, channel_type, source, source_folded, source_subtype, status,
    model, provider, environment, agent_name)
  select $4, * from unnest(
    $5::uuid[], $6::text[],
    $7::text[], $8::text[],
    $9::text[], $10::text[],
    $11::text[], $12::text[],
    $13::text[], $14::text[],
    $15::text[]) as new (dim)
  order by dim on conflict do nothing),
moved as (
  update ledger_row r
  set dim = $16::uuid,
  doc = regexp_replace(regexp_replace(r.doc, '"environment":"[^"]*"', '"environment":""'),
    ',"channel":"(?:[^"\\]|\\.)*","channelType":"(?:[^"\\]|\\.)*"', '')
  from due where r.project_id = $17 and r.ts = due.ts and r.n = due.n
  returning r.*),
sums as (
  insert into ledger_rollup (project_id, bucket, dim, grain, is_new, n, input_tokens, cached_tokens, completion_tokens,
    reasoning_tokens, latency_ms, cost)
  select $18, bucket, side.of_dim, grain, true, sum(sign), sum(sign * input_tokens), sum(sign * cached_tokens),
    sum(sign * completion_tokens), sum(sign * reasoning_tokens), sum(sign * latency_ms), sum(sign * cost)
  from moved,
  lateral (values ('h'::"char", date_trunc('hour', ts, 'UTC')), ('d', date_trunc('day', ts, 'UTC')))
  as grains (grain, bucket), (values ($19::uuid, -1), ($20::uuid, 1)) as side (of_dim, sign)
  group by bucket, side.of_dim, grain)
select count(*)::integer as moved from moved;

-- CallRepository.segments (30 days)
-- planned once for all values
select $1::timestamptz as "from", $2::timestamptz as "to",
  (select count(*) from ledger_row r where r.project_id = $3 and r.ts >= $4::timestamptz
    and r.ts < $5::timestamptz)::float8 as count union all
select s.bucket as "from", s.bucket + interval '1 hour' as "to", sum(s.n)::float8 as count
from
ledger_rollup s
where s.project_id = $6 and s.grain = 'h'::"char" and s.dim = '00000000-0000-0000-0000-000000000000'::uuid
and s.bucket >= $7::timestamptz and s.bucket < $8::timestamptz group by s.bucket union all
select s.bucket as "from", s.bucket + interval '24 hours' as "to", sum(s.n)::float8 as count
from
ledger_rollup s
where s.project_id = $9 and s.grain = 'd'::"char" and s.dim = '00000000-0000-0000-0000-000000000000'::uuid
and s.bucket >= $10::timestamptz and s.bucket < $11::timestamptz group by s.bucket union all
select s.bucket as "from", s.bucket + interval '1 hour' as "to", sum(s.n)::float8 as count
from
ledger_rollup s
where s.project_id = $12 and s.grain = 'h'::"char" and s.dim = '00000000-0000-0000-0000-000000000000'::uuid
and s.bucket >= $13::timestamptz
  and s.bucket < $14::timestamptz group by s.bucket union all select $15::timestamptz as "from",
    $16::timestamptz as "to",
  (select count(*) from ledger_row r where r.project_id = $17 and r.ts >= $18::timestamptz
    and r.ts < $19::timestamptz)::float8 as count
  order by "from";

-- CallRepository.segments (30 days, two filters)
-- planned once for all values
select $1::timestamptz as "from", $2::timestamptz as "to",
  (select count(*) from ledger_row r where r.project_id = $3 and r.ts >= $4::timestamptz and r.ts < $5::timestamptz
    and r.dim = any($6::uuid[]))::float8 as count union all
select s.bucket as "from", s.bucket + interval '1 hour' as "to", sum(s.n)::float8 as count
from
ledger_rollup s
where s.project_id = $7 and s.grain = 'h'::"char" and s.dim = any($6::uuid[])
and s.bucket >= $8::timestamptz and s.bucket < $9::timestamptz group by s.bucket union all
select s.bucket as "from", s.bucket + interval '24 hours' as "to", sum(s.n)::float8 as count
from
ledger_rollup s
where s.project_id = $10 and s.grain = 'd'::"char" and s.dim = any($6::uuid[])
and s.bucket >= $11::timestamptz and s.bucket < $12::timestamptz group by s.bucket union all
select s.bucket as "from", s.bucket + interval '1 hour' as "to", sum(s.n)::float8 as count
from
ledger_rollup s
where s.project_id = $13 and s.grain = 'h'::"char" and s.dim = any($6::uuid[])
and s.bucket >= $14::timestamptz
  and s.bucket < $15::timestamptz group by s.bucket union all select $16::timestamptz as "from",
    $17::timestamptz as "to",
  (select count(*) from ledger_row r where r.project_id = $18 and r.ts >= $19::timestamptz and r.ts < $20::timestamptz
    and r.dim = any($6::uuid[]))::float8 as count
  order by "from";

-- CallRepository.sumsByGroup (30 days, by day)
select key,
sum(n)::float8 as calls, sum(input_tokens)::float8 as "inputTokens",
sum(cached_tokens)::float8 as "cachedTokens", sum(completion_tokens)::float8 as "completionTokens",
sum(reasoning_tokens)::float8 as "reasoningTokens", sum(latency_ms)::float8 as "latencyMs",
sum(cost)::float8 as cost
from (select to_char(r.ts at time zone 'UTC', 'YYYY-MM-DD') as key, 1 as n, r.input_tokens, r.cached_tokens,
  r.completion_tokens, r.reasoning_tokens, r.latency_ms, r.cost from ledger_row r where r.project_id = $1
  and r.ts >= $2::timestamptz and r.ts < $3::timestamptz union all
  select to_char(s.bucket at time zone 'UTC', 'YYYY-MM-DD') as key, n, input_tokens, cached_tokens, completion_tokens,
    reasoning_tokens, latency_ms, cost from ledger_rollup s
  where s.project_id = $4 and s.grain = 'h'::"char" and s.dim = '00000000-0000-0000-0000-000000000000'::uuid
  and s.bucket >= $5::timestamptz and s.bucket < $6::timestamptz union all
  select to_char(s.bucket at time zone 'UTC', 'YYYY-MM-DD') as key, n, input_tokens, cached_tokens, completion_tokens,
    reasoning_tokens, latency_ms, cost from ledger_rollup s
  where s.project_id = $7 and s.grain = 'd'::"char" and s.dim = '00000000-0000-0000-0000-000000000000'::uuid
  and s.bucket >= $8::timestamptz and s.bucket < $9::timestamptz union all
  select to_char(s.bucket at time zone 'UTC', 'YYYY-MM-DD') as key, n, input_tokens, cached_tokens, completion_tokens,
    reasoning_tokens, latency_ms, cost from ledger_rollup s
  where s.project_id = $10 and s.grain = 'h'::"char" and s.dim = '00000000-0000-0000-0000-000000000000'::uuid
  and s.bucket >= $11::timestamptz
    and s.bucket < $12::timestamptz union all select to_char(r.ts at time zone 'UTC', 'YYYY-MM-DD') as key, 1 as n,
    r.input_tokens, r.cached_tokens, r.completion_tokens, r.reasoning_tokens, r.latency_ms, r.cost from ledger_row r
    where r.project_id = $13 and r.ts >= $14::timestamptz and r.ts < $15::timestamptz) part
group by key having sum(n) > 0 order by key limit $16;

-- CallRepository.sumsByGroup (30 days, by day, a session)
select key,
sum(n)::float8 as calls, sum(input_tokens)::float8 as "inputTokens",
sum(cached_tokens)::float8 as "cachedTokens", sum(completion_tokens)::float8 as "completionTokens",
sum(reasoning_tokens)::float8 as "reasoningTokens", sum(latency_ms)::float8 as "latencyMs",
sum(cost)::float8 as cost
from (select to_char(r.ts at time zone 'UTC', 'YYYY-MM-DD') as key, 1 as n, r.input_tokens, r.cached_tokens,
  r.completion_tokens, r.reasoning_tokens, r.latency_ms, r.cost from ledger_row r where r.project_id = $1
  and r.ts >= $2::timestamptz and r.ts < $3::timestamptz and r.session_id = any($4::text[])) part
group by key having sum(n) > 0 order by key limit $5;

-- CallRepository.sumsByGroup (30 days, by hour)
select key,
sum(n)::float8 as calls, sum(input_tokens)::float8 as "inputTokens",
sum(cached_tokens)::float8 as "cachedTokens", sum(completion_tokens)::float8 as "completionTokens",
sum(reasoning_tokens)::float8 as "reasoningTokens", sum(latency_ms)::float8 as "latencyMs",
sum(cost)::float8 as cost
from (select to_char(r.ts at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00"Z"') as key, 1 as n, r.input_tokens,
  r.cached_tokens, r.completion_tokens, r.reasoning_tokens, r.latency_ms, r.cost from ledger_row r
    where r.project_id = $1
  and r.ts >= $2::timestamptz and r.ts < $3::timestamptz union all
  select to_char(s.bucket at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00"Z"') as key, n, input_tokens, cached_tokens,
    completion_tokens, reasoning_tokens, latency_ms, cost from ledger_rollup s
  where s.project_id = $4 and s.grain = 'h'::"char" and s.dim = '00000000-0000-0000-0000-000000000000'::uuid
  and s.bucket >= $5::timestamptz
    and s.bucket < $6::timestamptz union all select to_char(r.ts at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00"Z"') as key,
    1 as n, r.input_tokens, r.cached_tokens, r.completion_tokens, r.reasoning_tokens, r.latency_ms, r.cost
    from ledger_row r where r.project_id = $7 and r.ts >= $8::timestamptz and r.ts < $9::timestamptz) part
group by key having sum(n) > 0 order by key limit $10;

-- CallRepository.sumsByGroup (30 days, by model)
select key,
sum(n)::float8 as calls, sum(input_tokens)::float8 as "inputTokens",
sum(cached_tokens)::float8 as "cachedTokens", sum(completion_tokens)::float8 as "completionTokens",
sum(reasoning_tokens)::float8 as "reasoningTokens", sum(latency_ms)::float8 as "latencyMs",
sum(cost)::float8 as cost
from (
  select (select d.model from ledger_dim d
    where d.project_id = $1 and d.dim = part.key) as key, n, input_tokens, cached_tokens, completion_tokens,
      reasoning_tokens, latency_ms, cost
  from (select key,
    sum(n) as n, sum(input_tokens) as input_tokens, sum(cached_tokens) as cached_tokens,
    sum(completion_tokens) as completion_tokens, sum(reasoning_tokens) as reasoning_tokens,
    sum(latency_ms) as latency_ms, sum(cost) as cost
      from (select r.dim as key, 1 as n, r.input_tokens, r.cached_tokens, r.completion_tokens, r.reasoning_tokens,
        r.latency_ms, r.cost from ledger_row r where r.project_id = $2 and r.ts >= $3::timestamptz
        and r.ts < $4::timestamptz union all
      select s.dim as key, n, input_tokens, cached_tokens, completion_tokens, reasoning_tokens, latency_ms, cost
        from ledger_rollup s
      where s.project_id = $5 and s.grain = 'h'::"char" and s.dim <> '00000000-0000-0000-0000-000000000000'::uuid
      and s.bucket >= $6::timestamptz and s.bucket < $7::timestamptz union all
      select s.dim as key, n, input_tokens, cached_tokens, completion_tokens, reasoning_tokens, latency_ms, cost
        from ledger_rollup s
      where s.project_id = $8 and s.grain = 'd'::"char" and s.dim <> '00000000-0000-0000-0000-000000000000'::uuid
      and s.bucket >= $9::timestamptz and s.bucket < $10::timestamptz union all
      select s.dim as key, n, input_tokens, cached_tokens, completion_tokens, reasoning_tokens, latency_ms, cost
        from ledger_rollup s
      where s.project_id = $11 and s.grain = 'h'::"char" and s.dim <> '00000000-0000-0000-0000-000000000000'::uuid
      and s.bucket >= $12::timestamptz and s.bucket < $13::timestamptz union all select r.dim as key, 1 as n,
        r.input_tokens, r.cached_tokens, r.completion_tokens, r.reasoning_tokens, r.latency_ms, r.cost from ledger_row r
        where r.project_id = $14 and r.ts >= $15::timestamptz and r.ts < $16::timestamptz) part group by key) part) part
group by key having sum(n) > 0 order by cost desc, calls desc, key limit $17;

-- CallRepository.sumsByGroup (30 days, by model, two filters)
select key,
sum(n)::float8 as calls, sum(input_tokens)::float8 as "inputTokens",
sum(cached_tokens)::float8 as "cachedTokens", sum(completion_tokens)::float8 as "completionTokens",
sum(reasoning_tokens)::float8 as "reasoningTokens", sum(latency_ms)::float8 as "latencyMs",
sum(cost)::float8 as cost
from (
  select (select d.model from ledger_dim d
    where d.project_id = $1 and d.dim = part.key) as key, n, input_tokens, cached_tokens, completion_tokens,
      reasoning_tokens, latency_ms, cost
  from (select key,
    sum(n) as n, sum(input_tokens) as input_tokens, sum(cached_tokens) as cached_tokens,
    sum(completion_tokens) as completion_tokens, sum(reasoning_tokens) as reasoning_tokens,
    sum(latency_ms) as latency_ms, sum(cost) as cost
      from (select r.dim as key, 1 as n, r.input_tokens, r.cached_tokens, r.completion_tokens, r.reasoning_tokens,
        r.latency_ms, r.cost from ledger_row r where r.project_id = $2 and r.ts >= $3::timestamptz
        and r.ts < $4::timestamptz and r.dim = any($5::uuid[]) union all
      select s.dim as key, n, input_tokens, cached_tokens, completion_tokens, reasoning_tokens, latency_ms, cost
        from ledger_rollup s
      where s.project_id = $6 and s.grain = 'h'::"char" and s.dim = any($5::uuid[])
      and s.bucket >= $7::timestamptz and s.bucket < $8::timestamptz union all
      select s.dim as key, n, input_tokens, cached_tokens, completion_tokens, reasoning_tokens, latency_ms, cost
        from ledger_rollup s
      where s.project_id = $9 and s.grain = 'd'::"char" and s.dim = any($5::uuid[])
      and s.bucket >= $10::timestamptz and s.bucket < $11::timestamptz union all
      select s.dim as key, n, input_tokens, cached_tokens, completion_tokens, reasoning_tokens, latency_ms, cost
        from ledger_rollup s
      where s.project_id = $12 and s.grain = 'h'::"char" and s.dim = any($5::uuid[])
      and s.bucket >= $13::timestamptz and s.bucket < $14::timestamptz union all select r.dim as key, 1 as n,
        r.input_tokens, r.cached_tokens, r.completion_tokens, r.reasoning_tokens, r.latency_ms, r.cost from ledger_row r
        where r.project_id = $15 and r.ts >= $16::timestamptz and r.ts < $17::timestamptz
        and r.dim = any($5::uuid[])) part group by key) part) part
group by key having sum(n) > 0 order by cost desc, calls desc, key limit $18;

-- CallRepository.sumsByGroup (30 days, by session)
select key,
sum(n)::float8 as calls, sum(input_tokens)::float8 as "inputTokens",
sum(cached_tokens)::float8 as "cachedTokens", sum(completion_tokens)::float8 as "completionTokens",
sum(reasoning_tokens)::float8 as "reasoningTokens", sum(latency_ms)::float8 as "latencyMs",
sum(cost)::float8 as cost
from (select r.session_id as key, 1 as n, r.input_tokens, r.cached_tokens, r.completion_tokens, r.reasoning_tokens,
  r.latency_ms, r.cost from ledger_row r where r.project_id = $1 and r.ts >= $2::timestamptz
  and r.ts < $3::timestamptz) part
group by key having sum(n) > 0 order by cost desc, calls desc, key limit $4;

-- CallRepository.sumsByInterval (30 days, by day, a session)
select part.of_group as "group", part.time as key,
sum(n)::float8 as calls, sum(input_tokens)::float8 as "inputTokens",
sum(cached_tokens)::float8 as "cachedTokens", sum(completion_tokens)::float8 as "completionTokens",
sum(reasoning_tokens)::float8 as "reasoningTokens", sum(latency_ms)::float8 as "latencyMs",
sum(cost)::float8 as cost,
coalesce(sum(n) filter (where status = 'failed'), 0)::float8 as failed
from (
  select d.model as of_group, d.status, part.*
  from (select time, key,
    sum(n) as n, sum(input_tokens) as input_tokens, sum(cached_tokens) as cached_tokens,
    sum(completion_tokens) as completion_tokens, sum(reasoning_tokens) as reasoning_tokens,
    sum(latency_ms) as latency_ms, sum(cost) as cost
      from (select to_char(r.ts at time zone 'UTC', 'YYYY-MM-DD') as time, r.dim as key, 1 as n, r.input_tokens,
        r.cached_tokens, r.completion_tokens, r.reasoning_tokens, r.latency_ms, r.cost from ledger_row r
        where r.project_id = $1 and r.ts >= $2::timestamptz and r.ts < $3::timestamptz
        and r.session_id = any($4::text[])) part group by time,
      key) part
  join ledger_dim d on d.project_id = $5 and d.dim = part.key) part
where part.of_group = any($6::text[])
group by part.of_group, part.time having sum(n) > 0 order by part.time;

-- CallRepository.sumsByInterval (30 days, by day, two filters)
select part.of_group as "group", part.time as key,
sum(n)::float8 as calls, sum(input_tokens)::float8 as "inputTokens",
sum(cached_tokens)::float8 as "cachedTokens", sum(completion_tokens)::float8 as "completionTokens",
sum(reasoning_tokens)::float8 as "reasoningTokens", sum(latency_ms)::float8 as "latencyMs",
sum(cost)::float8 as cost,
coalesce(sum(n) filter (where status = 'failed'), 0)::float8 as failed
from (
  select d.model as of_group, d.status, part.*
  from (select time, key,
    sum(n) as n, sum(input_tokens) as input_tokens, sum(cached_tokens) as cached_tokens,
    sum(completion_tokens) as completion_tokens, sum(reasoning_tokens) as reasoning_tokens,
    sum(latency_ms) as latency_ms, sum(cost) as cost
      from (select to_char(r.ts at time zone 'UTC', 'YYYY-MM-DD') as time, r.dim as key, 1 as n, r.input_tokens,
        r.cached_tokens, r.completion_tokens, r.reasoning_tokens, r.latency_ms, r.cost from ledger_row r
        where r.project_id = $1 and r.ts >= $2::timestamptz and r.ts < $3::timestamptz
        and r.dim = any($4::uuid[]) union all
      select to_char(s.bucket at time zone 'UTC', 'YYYY-MM-DD') as time, s.dim as key, n, input_tokens, cached_tokens,
        completion_tokens, reasoning_tokens, latency_ms, cost from ledger_rollup s
      where s.project_id = $5 and s.grain = 'h'::"char" and s.dim = any($4::uuid[])
      and s.bucket >= $6::timestamptz and s.bucket < $7::timestamptz union all
      select to_char(s.bucket at time zone 'UTC', 'YYYY-MM-DD') as time, s.dim as key, n, input_tokens, cached_tokens,
        completion_tokens, reasoning_tokens, latency_ms, cost from ledger_rollup s
      where s.project_id = $8 and s.grain = 'd'::"char" and s.dim = any($4::uuid[])
      and s.bucket >= $9::timestamptz and s.bucket < $10::timestamptz union all
      select to_char(s.bucket at time zone 'UTC', 'YYYY-MM-DD') as time, s.dim as key, n, input_tokens, cached_tokens,
        completion_tokens, reasoning_tokens, latency_ms, cost from ledger_rollup s
      where s.project_id = $11 and s.grain = 'h'::"char" and s.dim = any($4::uuid[])
      and s.bucket >= $12::timestamptz
        and s.bucket < $13::timestamptz union all select to_char(r.ts at time zone 'UTC', 'YYYY-MM-DD') as time,
        r.dim as key, 1 as n, r.input_tokens, r.cached_tokens, r.completion_tokens, r.reasoning_tokens, r.latency_ms,
        r.cost from ledger_row r where r.project_id = $14 and r.ts >= $15::timestamptz and r.ts < $16::timestamptz
        and r.dim = any($4::uuid[])) part group by time,
        key) part
  join ledger_dim d on d.project_id = $17 and d.dim = part.key) part
where part.of_group = any($18::text[])
group by part.of_group, part.time having sum(n) > 0 order by part.time;

-- CallRepository.sumsByInterval (30 days, by hour)
select part.of_group as "group", part.time as key,
sum(n)::float8 as calls, sum(input_tokens)::float8 as "inputTokens",
sum(cached_tokens)::float8 as "cachedTokens", sum(completion_tokens)::float8 as "completionTokens",
sum(reasoning_tokens)::float8 as "reasoningTokens", sum(latency_ms)::float8 as "latencyMs",
sum(cost)::float8 as cost,
coalesce(sum(n) filter (where status = 'failed'), 0)::float8 as failed
from (
  select d.model as of_group, d.status, part.*
  from (select time, key,
    sum(n) as n, sum(input_tokens) as input_tokens, sum(cached_tokens) as cached_tokens,
    sum(completion_tokens) as completion_tokens, sum(reasoning_tokens) as reasoning_tokens,
    sum(latency_ms) as latency_ms, sum(cost) as cost
      from (select to_char(r.ts at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00"Z"') as time, r.dim as key, 1 as n,
        r.input_tokens, r.cached_tokens, r.completion_tokens, r.reasoning_tokens, r.latency_ms, r.cost from ledger_row r
        where r.project_id = $1 and r.ts >= $2::timestamptz and r.ts < $3::timestamptz union all
      select to_char(s.bucket at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00"Z"') as time, s.dim as key, n, input_tokens,
        cached_tokens, completion_tokens, reasoning_tokens, latency_ms, cost from ledger_rollup s
      where s.project_id = $4 and s.grain = 'h'::"char" and s.dim <> '00000000-0000-0000-0000-000000000000'::uuid
      and s.bucket >= $5::timestamptz
        and s.bucket < $6::timestamptz union all select to_char(r.ts at time zone 'UTC',
          'YYYY-MM-DD"T"HH24:00"Z"') as time,
        r.dim as key, 1 as n, r.input_tokens, r.cached_tokens, r.completion_tokens, r.reasoning_tokens, r.latency_ms,
        r.cost from ledger_row r where r.project_id = $7 and r.ts >= $8::timestamptz
        and r.ts < $9::timestamptz) part group by time,
        key) part
  join ledger_dim d on d.project_id = $10 and d.dim = part.key) part
where part.of_group = any($11::text[])
group by part.of_group, part.time having sum(n) > 0 order by part.time;

-- CallRepository.sumsOfAll (by day)
select key,
sum(n)::float8 as calls, sum(input_tokens)::float8 as "inputTokens",
sum(cached_tokens)::float8 as "cachedTokens", sum(completion_tokens)::float8 as "completionTokens",
sum(reasoning_tokens)::float8 as "reasoningTokens", sum(latency_ms)::float8 as "latencyMs",
sum(cost)::float8 as cost
from (
  select to_char(s.bucket at time zone 'UTC', 'YYYY-MM-DD') as key, n, input_tokens, cached_tokens, completion_tokens,
    reasoning_tokens, latency_ms, cost from project p
  cross join lateral (
    select * from ledger_rollup where project_id = p.id and grain = 'h'::"char"
    and bucket >= $1::timestamptz and bucket < $2::timestamptz) s
  where s.dim = '00000000-0000-0000-0000-000000000000'::uuid union all
  select to_char(s.bucket at time zone 'UTC', 'YYYY-MM-DD') as key, n, input_tokens, cached_tokens, completion_tokens,
    reasoning_tokens, latency_ms, cost from project p
  cross join lateral (
    select * from ledger_rollup where project_id = p.id and grain = 'd'::"char"
    and bucket >= $3::timestamptz and bucket < $4::timestamptz) s
  where s.dim = '00000000-0000-0000-0000-000000000000'::uuid union all
  select to_char(s.bucket at time zone 'UTC', 'YYYY-MM-DD') as key, n, input_tokens, cached_tokens, completion_tokens,
    reasoning_tokens, latency_ms, cost from project p
  cross join lateral (
    select * from ledger_rollup where project_id = p.id and grain = 'h'::"char"
    and bucket >= $5::timestamptz and bucket < $6::timestamptz) s
  where s.dim = '00000000-0000-0000-0000-000000000000'::uuid) part
group by key having sum(n) > 0 order by key limit $7;

-- CallRepository.sumsOfAll (by day, of two projects)
select key,
sum(n)::float8 as calls, sum(input_tokens)::float8 as "inputTokens",
sum(cached_tokens)::float8 as "cachedTokens", sum(completion_tokens)::float8 as "completionTokens",
sum(reasoning_tokens)::float8 as "reasoningTokens", sum(latency_ms)::float8 as "latencyMs",
sum(cost)::float8 as cost
from (
  select to_char(s.bucket at time zone 'UTC', 'YYYY-MM-DD') as key, n, input_tokens, cached_tokens, completion_tokens,
    reasoning_tokens, latency_ms, cost from unnest($1::text[]) as p (id)
  cross join lateral (
    select * from ledger_rollup where project_id = p.id and grain = 'h'::"char"
    and bucket >= $2::timestamptz and bucket < $3::timestamptz) s
  where s.dim = '00000000-0000-0000-0000-000000000000'::uuid union all
  select to_char(s.bucket at time zone 'UTC', 'YYYY-MM-DD') as key, n, input_tokens, cached_tokens, completion_tokens,
    reasoning_tokens, latency_ms, cost from unnest($1::text[]) as p (id)
  cross join lateral (
    select * from ledger_rollup where project_id = p.id and grain = 'd'::"char"
    and bucket >= $4::timestamptz and bucket < $5::timestamptz) s
  where s.dim = '00000000-0000-0000-0000-000000000000'::uuid union all
  select to_char(s.bucket at time zone 'UTC', 'YYYY-MM-DD') as key, n, input_tokens, cached_tokens, completion_tokens,
    reasoning_tokens, latency_ms, cost from unnest($1::text[]) as p (id)
  cross join lateral (
    select * from ledger_rollup where project_id = p.id and grain = 'h'::"char"
    and bucket >= $6::timestamptz and bucket < $7::timestamptz) s
  where s.dim = '00000000-0000-0000-0000-000000000000'::uuid) part
group by key having sum(n) > 0 order by key limit $8;

-- CallRepository.sumsOfAll (by model, filtered)
select key,
sum(n)::float8 as calls, sum(input_tokens)::float8 as "inputTokens",
sum(cached_tokens)::float8 as "cachedTokens", sum(completion_tokens)::float8 as "completionTokens",
sum(reasoning_tokens)::float8 as "reasoningTokens", sum(latency_ms)::float8 as "latencyMs",
sum(cost)::float8 as cost
from (
  select d.model as key, n, input_tokens, cached_tokens, completion_tokens, reasoning_tokens, latency_ms, cost
    from project p
  cross join lateral (
    select * from ledger_rollup where project_id = p.id and grain = 'h'::"char"
    and bucket >= $1::timestamptz and bucket < $2::timestamptz) s
  join ledger_dim d on d.project_id = p.id and d.dim = s.dim where status = $3 and model = $4 union all
  select d.model as key, n, input_tokens, cached_tokens, completion_tokens, reasoning_tokens, latency_ms, cost
    from project p
  cross join lateral (
    select * from ledger_rollup where project_id = p.id and grain = 'd'::"char"
    and bucket >= $5::timestamptz and bucket < $6::timestamptz) s
  join ledger_dim d on d.project_id = p.id and d.dim = s.dim where status = $7 and model = $8 union all
  select d.model as key, n, input_tokens, cached_tokens, completion_tokens, reasoning_tokens, latency_ms, cost
    from project p
  cross join lateral (
    select * from ledger_rollup where project_id = p.id and grain = 'h'::"char"
    and bucket >= $9::timestamptz and bucket < $10::timestamptz) s
  join ledger_dim d on d.project_id = p.id and d.dim = s.dim where status = $11 and model = $12) part
group by key having sum(n) > 0 order by cost desc, calls desc, key limit $13;

-- CallRepository.sumsOfAllByInterval (by day)
select part.of_group as "group", part.time as key,
sum(n)::float8 as calls, sum(input_tokens)::float8 as "inputTokens",
sum(cached_tokens)::float8 as "cachedTokens", sum(completion_tokens)::float8 as "completionTokens",
sum(reasoning_tokens)::float8 as "reasoningTokens", sum(latency_ms)::float8 as "latencyMs",
sum(cost)::float8 as cost,
coalesce(sum(n) filter (where status = 'failed'), 0)::float8 as failed
from (
  select d.model as of_group, d.status, to_char(s.bucket at time zone 'UTC', 'YYYY-MM-DD') as time, n, input_tokens,
    cached_tokens, completion_tokens, reasoning_tokens, latency_ms, cost from project p
  cross join lateral (
    select * from ledger_rollup where project_id = p.id and grain = 'h'::"char"
    and bucket >= $1::timestamptz and bucket < $2::timestamptz) s
  join ledger_dim d on d.project_id = p.id and d.dim = s.dim union all
  select d.model as of_group, d.status, to_char(s.bucket at time zone 'UTC', 'YYYY-MM-DD') as time, n, input_tokens,
    cached_tokens, completion_tokens, reasoning_tokens, latency_ms, cost from project p
  cross join lateral (
    select * from ledger_rollup where project_id = p.id and grain = 'd'::"char"
    and bucket >= $3::timestamptz and bucket < $4::timestamptz) s
  join ledger_dim d on d.project_id = p.id and d.dim = s.dim union all
  select d.model as of_group, d.status, to_char(s.bucket at time zone 'UTC', 'YYYY-MM-DD') as time, n, input_tokens,
    cached_tokens, completion_tokens, reasoning_tokens, latency_ms, cost from project p
  cross join lateral (
    select * from ledger_rollup where project_id = p.id and grain = 'h'::"char"
    and bucket >= $5::timestamptz and bucket < $6::timestamptz) s
  join ledger_dim d on d.project_id = p.id and d.dim = s.dim) part
where part.of_group = any($7::text[])
group by part.of_group, part.time having sum(n) > 0 order by part.time;

-- CallRepository.sumsOfProjects
select project_id as "projectId", sum(n)::float8 as calls, sum(failed)::float8 as failed,
sum(tokens)::float8 as "totalTokens", sum(cost)::float8 as cost
from (
  select s.project_id, s.n, 0 as failed, s.input_tokens + s.completion_tokens + s.reasoning_tokens as tokens, s.cost
  from ledger_rollup s where
  s.project_id = any($1::text[]) and s.grain = 'd'::"char" and s.bucket >= $2::timestamptz
    and s.dim = '00000000-0000-0000-0000-000000000000'::uuid
  union all
  select s.project_id, 0, s.n, 0, 0
  from ledger_dim d join ledger_rollup s on s.project_id = d.project_id and s.dim = d.dim
  where d.project_id = any($1::text[]) and d.status = 'failed' and
  s.project_id = any($1::text[]) and s.grain = 'd'::"char" and s.bucket >= $3::timestamptz) part
group by project_id;

-- CallRepository.total (30 days)
-- planned once for all values
select ((select count(*) from ledger_row r where r.project_id = $1 and r.ts >= $2::timestamptz
  and r.ts < $3::timestamptz) + (select coalesce(sum(s.n), 0)::bigint from
    ledger_rollup s
    where s.project_id = $4 and s.grain = 'h'::"char" and s.dim = '00000000-0000-0000-0000-000000000000'::uuid
    and s.bucket >= $5::timestamptz and s.bucket < $6::timestamptz) + (select coalesce(sum(s.n), 0)::bigint from
    ledger_rollup s
    where s.project_id = $7 and s.grain = 'd'::"char" and s.dim = '00000000-0000-0000-0000-000000000000'::uuid
    and s.bucket >= $8::timestamptz and s.bucket < $9::timestamptz) + (select coalesce(sum(s.n), 0)::bigint from
    ledger_rollup s
    where s.project_id = $10 and s.grain = 'h'::"char" and s.dim = '00000000-0000-0000-0000-000000000000'::uuid
    and s.bucket >= $11::timestamptz and s.bucket < $12::timestamptz) + (select count(*) from ledger_row r
      where r.project_id = $13 and r.ts >= $14::timestamptz and r.ts < $15::timestamptz))::float8 as total;

-- CallRepository.total (30 days, a session)
select ((select count(*) from ledger_row r where r.project_id = $1 and r.ts >= $2::timestamptz
  and r.ts < $3::timestamptz and r.session_id = any($4::text[])))::float8 as total;

-- CallRepository.total (30 days, two filters that match many)
select ((select count(*) from ledger_row r where r.project_id = $1 and r.ts >= $2::timestamptz
  and r.ts < $3::timestamptz
  and (r.dim in (select dim from ledger_dim where project_id = $4 and status = $5
    and model = $6)) is true) + (select coalesce(sum(s.n),
    0)::bigint
  from
    ledger_rollup s
    where s.project_id = $7 and s.grain = 'h'::"char"
      and (s.dim in (select dim from ledger_dim where project_id = $8 and status = $9 and model = $10)) is true
    and s.bucket >= $11::timestamptz and s.bucket < $12::timestamptz) + (select coalesce(sum(s.n), 0)::bigint from
    ledger_rollup s
    where s.project_id = $13 and s.grain = 'd'::"char"
      and (s.dim in (select dim from ledger_dim where project_id = $14 and status = $15 and model = $16)) is true
    and s.bucket >= $17::timestamptz and s.bucket < $18::timestamptz) + (select coalesce(sum(s.n), 0)::bigint from
    ledger_rollup s
    where s.project_id = $19 and s.grain = 'h'::"char"
      and (s.dim in (select dim from ledger_dim where project_id = $20 and status = $21 and model = $22)) is true
    and s.bucket >= $23::timestamptz and s.bucket < $24::timestamptz) + (select count(*) from ledger_row r
      where r.project_id = $25 and r.ts >= $26::timestamptz and r.ts < $27::timestamptz
      and (r.dim in (select dim from ledger_dim where project_id = $28 and status = $29
        and model = $30)) is true))::float8 as total;

-- CallRepository.total (30 days, two filters)
-- planned once for all values
select ((select count(*) from ledger_row r where r.project_id = $1 and r.ts >= $2::timestamptz
  and r.ts < $3::timestamptz and r.dim = any($4::uuid[])) + (select coalesce(sum(s.n), 0)::bigint from
    ledger_rollup s
    where s.project_id = $5 and s.grain = 'h'::"char" and s.dim = any($4::uuid[])
    and s.bucket >= $6::timestamptz and s.bucket < $7::timestamptz) + (select coalesce(sum(s.n), 0)::bigint from
    ledger_rollup s
    where s.project_id = $8 and s.grain = 'd'::"char" and s.dim = any($4::uuid[])
    and s.bucket >= $9::timestamptz and s.bucket < $10::timestamptz) + (select coalesce(sum(s.n), 0)::bigint from
    ledger_rollup s
    where s.project_id = $11 and s.grain = 'h'::"char" and s.dim = any($4::uuid[])
    and s.bucket >= $12::timestamptz and s.bucket < $13::timestamptz) + (select count(*) from ledger_row r
      where r.project_id = $14 and r.ts >= $15::timestamptz and r.ts < $16::timestamptz
      and r.dim = any($4::uuid[])))::float8 as total;

-- CallRepository.total (40 minutes)
-- planned once for all values
select ((select count(*) from ledger_row r where r.project_id = $1 and r.ts >= $2::timestamptz
  and r.ts < $3::timestamptz) + (select coalesce(sum(s.n), 0)::bigint from
    ledger_rollup s
    where s.project_id = $4 and s.grain = 'h'::"char" and s.dim = '00000000-0000-0000-0000-000000000000'::uuid
    and s.bucket >= $5::timestamptz and s.bucket < $6::timestamptz) + (select coalesce(sum(s.n), 0)::bigint from
    ledger_rollup s
    where s.project_id = $7 and s.grain = 'd'::"char" and s.dim = '00000000-0000-0000-0000-000000000000'::uuid
    and s.bucket >= $8::timestamptz and s.bucket < $9::timestamptz) + (select coalesce(sum(s.n), 0)::bigint from
    ledger_rollup s
    where s.project_id = $10 and s.grain = 'h'::"char" and s.dim = '00000000-0000-0000-0000-000000000000'::uuid
    and s.bucket >= $11::timestamptz and s.bucket < $12::timestamptz) + (select count(*) from ledger_row r
      where r.project_id = $13 and r.ts >= $14::timestamptz and r.ts < $15::timestamptz))::float8 as total;

-- LedgerPolicyRepository.payloads
-- planned once
select payloads from ledger_policy where project_id = $1;

-- ModelPriceRepository.ofProject
-- planned once
select id as "id", project_id as "projectId", model as "model", provider as "provider", input::float8 as "input",
  cached_input::float8 as "cachedInput", output::float8 as "output", reasoning::float8 as "reasoning",
  created_at as "createdAt" from model_price where project_id = $1;

-- ModelPriceRepository.ofProjectWithPolicy
-- planned once
select price.id as "id", price.project_id as "projectId", price.model as "model", price.provider as "provider",
  price.input::float8 as "input", price.cached_input::float8 as "cachedInput", price.output::float8 as "output",
  price.reasoning::float8 as "reasoning", price.created_at as "createdAt", policy.payloads
from (values (true)) as always
left join ledger_policy policy on policy.project_id = $1
left join model_price price on price.project_id = $2;

-- RepricingRepository.advance
update ledger_repricing
set after_time = coalesce($1::timestamptz, after_time),
after_number = coalesce($2::bigint, after_number),
looked_at = looked_at + $3,
state = case when $4 = 0 then 'SUCCESS' else state end,
finished_at = case when $5 = 0 then now() else finished_at end
where id = $6 and state = 'IN_PROGRESS' and after_number is not distinct from $7::bigint
returning id;

-- RepricingRepository.countChanged
update ledger_repricing set changed = changed + $1 where id = $2;

-- RepricingRepository.fail
update ledger_repricing set state = 'FAILED', finished_at = now()
where id = $1 and state = 'IN_PROGRESS';

-- RepricingRepository.inProgress
select id as "id", project_id as "projectId", from_date as "fromDate", to_date as "toDate", state as "state",
  total as "total", looked_at as "lookedAt", changed as "changed", after_time as "afterTime",
  after_number::float8 as "afterNumber", created_at as "createdAt", finished_at as "finishedAt" from ledger_repricing
  where id = $1 and state = 'IN_PROGRESS';

-- RepricingRepository.lock
select from ledger_repricing where id = $1 for no key update;

-- RepricingRepository.reprice
-- takes the lock 'ledger'
with repriced as (
  update ledger_row r set cost = given.cost, pricing = given.pricing, doc = given.doc
  from unnest(
    $1::bigint[], $2::timestamptz[],
    $3::uuid[],
    $4::numeric[], $5::numeric[],
    $6::"char"[], $7::text[]
    ) as given (n, ts, dim, old_cost, cost, pricing, doc)
  where r.project_id = $8 and r.n = given.n and r.ts = given.ts
  and r.cost = given.old_cost and r.dim = given.dim
  returning r.ts, r.dim, given.cost - given.old_cost as difference),
sums as (
  insert into ledger_rollup (project_id, bucket, dim, grain, is_new, n, input_tokens, cached_tokens, completion_tokens,
    reasoning_tokens, latency_ms, cost)
  select $9, bucket, coalesce(dim, '00000000-0000-0000-0000-000000000000'::uuid), grain, true, 0, 0, 0, 0, 0, 0,
    sum(difference)
  from repriced,
  lateral (values ('h'::"char", date_trunc('hour', ts, 'UTC')), ('d', date_trunc('day', ts, 'UTC')))
  as grains (grain, bucket)
  group by grouping sets ((grain, bucket, dim), (grain, bucket)))
select count(*)::integer as changed from repriced;

-- callNumbers
select nextval('ledger_call_number')::text as number from generate_series(1, $1::integer);

-- countCallsOfMonth
select count(*)::integer as count from ledger_row_2026_01;

-- deleteCallsBefore
with due as (
  select ts, n from ledger_row where project_id = $1 and ts < $2::timestamptz order by ts limit $3),
gone as (
  delete from ledger_row r using due
  where r.project_id = $4 and r.ts = due.ts and r.n = due.n
  returning r.*),
payloads as (
  delete from ledger_payload p using gone
  where p.project_id = $5 and p.n = gone.n and p.ts = gone.ts),
sums as (
  insert into ledger_rollup (project_id, bucket, dim, grain, is_new, n, input_tokens, cached_tokens, completion_tokens,
    reasoning_tokens, latency_ms, cost)
  select $6, bucket, coalesce(dim, '00000000-0000-0000-0000-000000000000'::uuid), grain, true, -count(*),
    -sum(input_tokens), -sum(cached_tokens), -sum(completion_tokens), -sum(reasoning_tokens), -sum(latency_ms),
      -sum(cost)
  from gone,
  lateral (values ('h'::"char", date_trunc('hour', ts, 'UTC')), ('d', date_trunc('day', ts, 'UTC')))
  as grains (grain, bucket)
  group by grouping sets ((grain, bucket, dim), (grain, bucket)))
select count(*)::integer as count from gone;

-- deleteExpiredPayloads
delete from ledger_payload stored using (
  select n, ts from ledger_payload
  where project_id = $1
  and ts < (select payloads_before from ledger_expiry where project_id = $2) limit $3) due
where stored.project_id = $4 and stored.n = due.n and stored.ts = due.ts returning 1;

-- deleteKeysBefore
delete from ledger_key where project_id = $1 and ts < $2;

-- dropCallsOfMonth
do $$ begin
perform pg_advisory_xact_lock(hashtext('ledger_row'));
if to_regclass('ledger_row_2026_01') is null then return; end if;
alter table ledger_row detach partition ledger_row_2026_01;
insert into ledger_rollup (project_id, bucket, dim, grain, is_new, n, input_tokens, cached_tokens, completion_tokens,
  reasoning_tokens, latency_ms, cost)
select project_id, bucket, dim, grain, true, -sum(n), -sum(input_tokens), -sum(cached_tokens), -sum(completion_tokens),
  -sum(reasoning_tokens), -sum(latency_ms), -sum(cost)
from ledger_rollup where bucket >= '2026-01-01Z' and bucket < '2026-02-01Z'
group by project_id, bucket, dim, grain;
delete from ledger_key where ts >= '2026-01-01Z' and ts < '2026-02-01Z';
drop table ledger_row_2026_01;
end $$;

-- dropPayloadsOfMonth
drop table if exists ledger_payload_2026_01;

-- expirePayloads
insert into ledger_expiry (project_id, payloads_before)
select p.id, coalesce(own.cutoff, $1) from project p
left join unnest($2::text[], $3::timestamptz[])
as own (project_id, cutoff) on own.project_id = p.id
on conflict (project_id) do update
set payloads_before = greatest(ledger_expiry.payloads_before, excluded.payloads_before);

-- hasCallsBefore
select 1 from ledger_row where project_id = $1 and ts < $2 limit 1;

-- insertKeys
-- takes the lock 'ledger'
insert into ledger_key (project_id, call_id, ts)
select $1, call_id, ts
from unnest($2::text[], $3::timestamptz[])
as given (call_id, ts)
order by call_id collate "C" on conflict do nothing returning call_id as "callId";

-- insertNumbered (dims)
insert into ledger_dim (project_id, dim, channel, channel_type, source, source_folded, source_subtype, status,
  model, provider, environment, agent_name)
select $1, * from unnest(
  $2::uuid[], $3::text[],
  $4::text[], $5::text[],
  $6::text[], $7::text[],
  $8::text[], $9::text[],
  $10::text[], $11::text[],
  $12::text[]) as new (dim)
order by dim on conflict do nothing;

-- insertNumbered (payloads)
insert into ledger_payload (project_id, n, ts, payload)
select $1, n, ts, payload
from (
  select * from unnest($2::text[], $3::text[]) as call (call_id, payload)) as payload_of join
(select given.*, numbered.n, numbered.payload_bytes
  from (
    select * from unnest(
      $4::text[], $5::timestamptz[],
      $6::text[], $7::uuid[],
      $8::numeric[], $9::"char"[],
      $10::integer[],
      $11::integer[],
      $12::bigint[],
      $13::bigint[],
      $14::bigint[],
      $15::bigint[],
      $16::text[],
      $17::text[],
      $18::text[],
      $19::integer[]
      ) as call (call_id, ts, session_id, dim, cost, pricing, latency_ms, first_token_ms, input_tokens,
      cached_tokens, completion_tokens, reasoning_tokens, id_head, doc_head, doc_tail, given_bytes)) given
  join unnest($20::text[], $21::bigint[],
    $22::integer[])
  as numbered (call_id, n, payload_bytes) using (call_id)) added using (call_id) where payload_bytes > 0;

-- insertNumbered (rows)
insert into ledger_row (project_id, n, ts, total_tokens, input_tokens, cached_tokens, completion_tokens,
  reasoning_tokens, latency_ms, payload_bytes, dim, cost, pricing, session_id, id, doc, first_token_ms) select $1,
  n, ts, input_tokens + completion_tokens + reasoning_tokens, input_tokens, cached_tokens, completion_tokens,
  reasoning_tokens, latency_ms, payload_bytes, dim, cost, pricing, session_id, id_head || n, doc_head || n || doc_tail,
  first_token_ms from
(select given.*, numbered.n, numbered.payload_bytes
  from (
    select * from unnest(
      $2::text[], $3::timestamptz[],
      $4::text[], $5::uuid[],
      $6::numeric[], $7::"char"[],
      $8::integer[],
      $9::integer[],
      $10::bigint[],
      $11::bigint[],
      $12::bigint[],
      $13::bigint[],
      $14::text[],
      $15::text[],
      $16::text[],
      $17::integer[]
      ) as call (call_id, ts, session_id, dim, cost, pricing, latency_ms, first_token_ms, input_tokens,
      cached_tokens, completion_tokens, reasoning_tokens, id_head, doc_head, doc_tail, given_bytes)) given
  join unnest($18::text[], $19::bigint[],
    $20::integer[])
  as numbered (call_id, n, payload_bytes) using (call_id)) added;

-- insertNumbered (sums)
insert into ledger_rollup (project_id, bucket, dim, grain, is_new, n, input_tokens, cached_tokens, completion_tokens,
  reasoning_tokens, latency_ms, cost)
select $1, bucket, coalesce(dim, '00000000-0000-0000-0000-000000000000'::uuid), grain, true, count(*),
  sum(input_tokens), sum(cached_tokens), sum(completion_tokens), sum(reasoning_tokens), sum(latency_ms), sum(cost)
from
(select given.*, numbered.n, numbered.payload_bytes
  from (
    select * from unnest(
      $2::text[], $3::timestamptz[],
      $4::text[], $5::uuid[],
      $6::numeric[], $7::"char"[],
      $8::integer[],
      $9::integer[],
      $10::bigint[],
      $11::bigint[],
      $12::bigint[],
      $13::bigint[],
      $14::text[],
      $15::text[],
      $16::text[],
      $17::integer[]
      ) as call (call_id, ts, session_id, dim, cost, pricing, latency_ms, first_token_ms, input_tokens,
      cached_tokens, completion_tokens, reasoning_tokens, id_head, doc_head, doc_tail, given_bytes)) given
  join unnest($18::text[], $19::bigint[],
    $20::integer[])
  as numbered (call_id, n, payload_bytes) using (call_id)) added,
lateral (values ('h'::"char", date_trunc('hour', ts, 'UTC')), ('d', date_trunc('day', ts, 'UTC')))
as grains (grain, bucket)
group by grouping sets ((grain, bucket, dim), (grain, bucket));

-- makeMonth (of rows)
do $$ begin
perform pg_advisory_xact_lock(hashtext('ledger_row'));
if to_regclass('ledger_row_2026_01') is null then
create table ledger_row_2026_01 (like ledger_row including all);
alter table ledger_row attach partition ledger_row_2026_01 for values from ('2026-01-01Z') to ('2026-02-01Z');
end if;
end $$;

-- monthsBefore
select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1;

-- payloadRules
select exists (select from ledger_policy where project_id = $1 and payloads = 'drop') as drops,
(select payloads_before from ledger_expiry where project_id = $2) as "expiredBefore";

-- projectsWithCalls
select distinct project_id as "projectId" from ledger_dim;
