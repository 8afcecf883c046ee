-- Made from the code by `npm run docs`; changes here are lost.

-- JobRepository.byId
select id as "id", name as "name", queue as "queue", lane as "lane", data as "data", state as "state",
  seq::float8 as "seq", run_at as "runAt", attempt as "attempt", lease_until as "leaseUntil", progress as "progress",
  error as "error", created_at as "createdAt", finished_at as "finishedAt", project_id as "projectId", width as "width",
  place as "place", claim as "claim", forgiven as "forgiven", outages as "outages", trace_parent as "traceParent",
  every as "every" from job where id = $1;

-- JobRepository.endSuspensions
-- planned once, takes the lock 'job'
update job set state = 'queued' where id in (
  select id from job where state = 'suspended' and run_at <= now()
  and queue = any($1::text[]) for update skip locked);

-- JobRepository.fail (alone)
-- planned once, takes the lock 'job'
with ended as (update job set state = 'failed', place = null, error = $1, finished_at = now() where id = $2
  and claim = $3 and (state = 'running') is true returning id) select case when exists (select
  from ended) then true else concat('slipway demands: the claim of the job')::boolean end;

-- JobRepository.fail (in a lane of one)
-- planned once, takes the lock 'job'
with ended as (update job set state = 'failed', place = null, error = $1, finished_at = now() where id = $2
  and claim = $3 and (state = 'running') is true returning id),
  served as (
  update job set place = $4 from ended
  where job.id = (select id from (select id, width from job where id = (
        select id from job where lane = $5 and state = 'queued' and place is null order by seq limit 1)
      and (state = 'queued' and place is null) is true and width >= $6 for update skip locked) as next)
        returning job.id)
select case when exists (select from ended) then true else concat('slipway demands: the claim of the job')::boolean end,
  exists (select from served) as "isNextPlaced",
not exists (select from served) and false as "isPlaceLeft";

-- JobRepository.fail (recurring)
-- planned once, takes the lock 'job'
with ended as (update job set state = 'queued', run_at = now() + make_interval(secs => every), forgiven = attempt,
  outages = 0, error = $1 where id = $2 and claim = $3 and (state = 'running') is true
  returning id) select case when exists (select
  from ended) then true else concat('slipway demands: the claim of the job')::boolean end;

-- JobRepository.failUnended
-- takes the lock 'job'
update job set error = $1,
state = case when every is null then 'failed' else 'queued' end,
place = case when every is null then null else place end,
finished_at = case when every is null then now() end,
run_at = case when every is null then run_at else now() + make_interval(secs => every) end,
forgiven = case when every is null then forgiven else attempt end, outages = 0
where id = $2 and state in ('queued', 'running', 'suspended');

-- JobRepository.finish (alone)
-- planned once, takes the lock 'job'
with ended as (update job set state = 'done', place = null, error = null, finished_at = now() where id = $1
  and claim = $2 and (state = 'running') is true returning id) select case when exists (select
  from ended) then true else concat('slipway demands: the claim of the job')::boolean end;

-- JobRepository.finish (in a lane of eight)
-- planned once, takes the lock 'job'
with ended as (update job set state = 'done', place = null, error = null, finished_at = now() where id = $1
  and claim = $2 and (state = 'running') is true returning id),
  served as (
  update job set place = $3 from ended
  where job.id = (select id
    from (select id, width from job where lane = $4 and state = 'queued' and place is null and width > 1 and width >= $5
      and run_at <= now() order by run_at, seq limit 1 for update skip locked) as next) returning job.id)
select case when exists (select from ended) then true else concat('slipway demands: the claim of the job')::boolean end,
  exists (select from served) as "isNextPlaced",
not exists (select from served) and exists (select from job where lane = $6 and place = 1) as "isPlaceLeft";

-- JobRepository.finish (in a lane of one)
-- planned once, takes the lock 'job'
with ended as (update job set state = 'done', place = null, error = null, finished_at = now() where id = $1
  and claim = $2 and (state = 'running') is true returning id),
  served as (
  update job set place = $3 from ended
  where job.id = (select id from (select id, width from job where id = (
        select id from job where lane = $4 and state = 'queued' and place is null order by seq limit 1)
      and (state = 'queued' and place is null) is true and width >= $5 for update skip locked) as next)
        returning job.id)
select case when exists (select from ended) then true else concat('slipway demands: the claim of the job')::boolean end,
  exists (select from served) as "isNextPlaced",
not exists (select from served) and false as "isPlaceLeft";

-- JobRepository.finish (not kept)
-- planned once, takes the lock 'job'
with ended as (delete from job where id = $1 and claim = $2 and (state = 'running') is true returning id), served as (
  update job set place = $3 from ended
  where job.id = (select id from (select id, width from job where id = (
        select id from job where lane = $4 and state = 'queued' and place is null order by seq limit 1)
      and (state = 'queued' and place is null) is true and width >= $5 for update skip locked) as next)
        returning job.id)
select case when exists (select from ended) then true else concat('slipway demands: the claim of the job')::boolean end,
  exists (select from served) as "isNextPlaced",
not exists (select from served) and false as "isPlaceLeft";

-- JobRepository.finish (recurring)
-- planned once, takes the lock 'job'
with ended as (update job set state = 'queued', run_at = now() + make_interval(secs => every), forgiven = attempt,
  outages = 0, error = $1 where id = $2 and claim = $3 and (state = 'running') is true
  returning id) select case when exists (select
  from ended) then true else concat('slipway demands: the claim of the job')::boolean end;

-- JobRepository.insertAlone
-- planned once
insert into job (id, name, queue, lane, data, state, run_at, created_at, project_id, width, place, trace_parent)
  values ($1, $2, $3, $4, $5, $6, coalesce($7::timestamptz, now()), $8, $9, $10, $11, $12);

-- JobRepository.insertAlone (begun here)
-- planned once
insert into job (id, name, queue, lane, data, state, run_at, attempt, lease_until, created_at, project_id, width, place,
  claim, trace_parent)
  values ($1, $2, $3, $4, $5, $6, coalesce($7::timestamptz, now()), $8, clock_timestamp() + make_interval(secs => $9),
    $10, $11, $12, $13, $14, $15);

-- JobRepository.insertIntoLane (of eight)
-- planned once
with wanted as (select $1::text as id, $2::text as name, $3::text as queue, $4::text as lane, $5::jsonb as data,
  coalesce($6::timestamptz, now())::timestamptz as run_at, $7::timestamptz as created_at, $8::text as project_id,
  $9::smallint as width, $10::text as trace_parent, $11::uuid as claim),
placed as materialized (
  select case when run_at <= now() and pg_try_advisory_xact_lock(hashtextextended('lane ' || lane, 0))
  and not exists (select from job where lane = $12 and state = 'queued' and place is null and width > 1
    and run_at <= now())
  then (select place from (select place::smallint from generate_series(1, 8) as place
      where not exists (select from job where lane = $13 and job.place = place.place)) as free
        order by random() limit 1) end as place
  from wanted),
begun as (select claim from wanted, placed where place is not null and claim is not null),
added as (
  insert into job (id, name, queue, lane, data, run_at, created_at, project_id, width, trace_parent, place, state,
    attempt, claim, lease_until)
  select id, name, queue, lane, data, run_at, created_at, project_id, width, trace_parent, place,
    case when begun.claim is null then $14 else 'running' end,
  case when begun.claim is null then 0 else 1 end, begun.claim,
  case when begun.claim is not null then clock_timestamp() + make_interval(secs => $15) end
  from wanted cross join placed left join begun on true
  on conflict (lane, place) where place is not null do nothing returning place),
added_without_place as (
  insert into job (id, name, queue, lane, data, run_at, created_at, project_id, width, trace_parent, state) select id,
    name, queue, lane, data, run_at, created_at, project_id, width, trace_parent, $16 from wanted
    where not exists (select from added))
select place from added where place is not null;

-- JobRepository.insertIntoLane (of one)
-- planned once
with wanted as (select $1::text as id, $2::text as name, $3::text as queue, $4::text as lane, $5::jsonb as data,
  coalesce($6::timestamptz, now())::timestamptz as run_at, $7::timestamptz as created_at, $8::text as project_id,
  $9::smallint as width, $10::text as trace_parent, $11::uuid as claim),
placed as materialized (
  select case when true and pg_try_advisory_xact_lock(hashtextextended('lane ' || lane, 0))
  and not exists (select from job where lane = $12 and state = 'queued' and place is null)
  then (select place from (select place::smallint from generate_series(1, 1) as place
      where not exists (select from job where lane = $13 and job.place = place.place)) as free
        order by random() limit 1) end as place
  from wanted),
begun as (select claim from wanted, placed where place is not null and claim is not null),
added as (
  insert into job (id, name, queue, lane, data, run_at, created_at, project_id, width, trace_parent, place, state,
    attempt, claim, lease_until)
  select id, name, queue, lane, data, run_at, created_at, project_id, width, trace_parent, place,
    case when begun.claim is null then $14 else 'running' end,
  case when begun.claim is null then 0 else 1 end, begun.claim,
  case when begun.claim is not null then clock_timestamp() + make_interval(secs => $15) end
  from wanted cross join placed left join begun on true
  on conflict (lane, place) where place is not null do nothing returning place),
added_without_place as (
  insert into job (id, name, queue, lane, data, run_at, created_at, project_id, width, trace_parent, state) select id,
    name, queue, lane, data, run_at, created_at, project_id, width, trace_parent, $16 from wanted
    where not exists (select from added))
select place from added where place is not null;

-- JobRepository.lock
-- takes the lock 'job'
select id as "id", name as "name", queue as "queue", lane as "lane", data as "data", state as "state",
  seq::float8 as "seq", run_at as "runAt", attempt as "attempt", lease_until as "leaseUntil", progress as "progress",
  error as "error", created_at as "createdAt", finished_at as "finishedAt", project_id as "projectId", width as "width",
  place as "place", claim as "claim", forgiven as "forgiven", outages as "outages", trace_parent as "traceParent",
  every as "every" from job where id = $1 for update;

-- JobRepository.postpone (in a lane of eight)
-- planned once, takes the lock 'job'
with ended as (update job set state = 'queued', place = $1, error = $2, forgiven = $3, outages = 0,
  run_at = now() + make_interval(secs => $4) where id = $5 and claim = $6 and (state = 'running') is true returning id),
  served as (
  update job set place = $7 from ended
  where job.id = (select id
    from (select id, width from job where lane = $8 and state = 'queued' and place is null and width > 1 and width >= $9
      and run_at <= now() order by run_at, seq limit 1 for update skip locked) as next) returning job.id)
select case when exists (select from ended) then true else concat('slipway demands: the claim of the job')::boolean end,
  exists (select from served) as "isNextPlaced",
not exists (select from served) and exists (select from job where lane = $10 and place = 1) as "isPlaceLeft";

-- JobRepository.postpone (in a lane of one)
-- planned once, takes the lock 'job'
with ended as (update job set state = 'queued', place = $1, error = $2, forgiven = $3, outages = 0,
  run_at = now() + make_interval(secs => $4) where id = $5 and claim = $6 and (state = 'running') is true
  returning id) select case when exists (select
  from ended) then true else concat('slipway demands: the claim of the job')::boolean end;

-- JobRepository.reclaimExpired
-- planned once, takes the lock 'job'
update job set state = 'queued', run_at = least(run_at, now()) where id in (
  select id from job where state = 'running' and lease_until < now()
  and queue = any($1::text[]) for update skip locked);

-- JobRepository.release
-- planned once, takes the lock 'job'
with ended as (update job set state = 'queued', run_at = now() + make_interval(secs => $1), forgiven = forgiven + 1
  where id = $2 and claim = $3 and (state = 'running') is true returning id) select case when exists (select
  from ended) then true else concat('slipway demands: the claim of the job')::boolean end;

-- JobRepository.releaseAfterOutage
-- planned once, takes the lock 'job'
with ended as (update job set state = 'queued', run_at = now() + make_interval(secs => $1), forgiven = forgiven + 1,
  outages = outages + 1 where id = $2 and claim = $3 and (state = 'running') is true
  returning id) select case when exists (select
  from ended) then true else concat('slipway demands: the claim of the job')::boolean end;

-- JobRepository.renewLeases
-- planned once, takes the lock 'job'
with ours as (
  select job.id, job.claim, lease_until from job
  join unnest($1::text[], $2::uuid[]) as claimed (id, claim)
  on claimed.id = job.id and claimed.claim = job.claim
  where (job.state = 'running') is true),
renewed as (
  update job set lease_until = clock_timestamp() + make_interval(secs => $3)
  from ours where job.id = ours.id and job.claim = ours.claim and (job.state = 'running') is true
  and ours.lease_until < now() + make_interval(secs => $4))
select claim from ours;

-- JobRepository.reopen
-- takes the lock 'job'
update job set state = 'queued', run_at = now(), attempt = greatest(attempt, 1),
forgiven = greatest(attempt, 1), outages = 0, finished_at = null
where id = $1 and (state = 'failed') is true returning queue as "queue", lane as "lane", project_id as "projectId",
  width as "width";

-- JobRepository.report
-- takes the lock 'job'
update job set progress = $1
where id = $2 and claim = $3 and (state = 'running') is true returning id;

-- JobRepository.resume
-- takes the lock 'job'
update job set state = 'queued', run_at = now() where id = $1 and (state = 'suspended') is true
returning queue as "queue", project_id as "projectId";

-- JobRepository.suspend
-- planned once, takes the lock 'job'
with ended as (update job set state = 'suspended', run_at = $1, forgiven = forgiven + 1, outages = 0 where id = $2
  and claim = $3 and (state = 'running') is true returning id) select case when exists (select
  from ended) then true else concat('slipway demands: the claim of the job')::boolean end;

-- claim
-- planned once for all values, takes the lock 'job'
with recursive first_claimable as (
  (select served.queue, first.project, first.run_at from unnest($1::text[]) as served (queue) cross join lateral (
      select coalesce(project_id, '') as project, run_at from job where state = 'queued' and place is not null
        and job.queue = served.queue
      order by coalesce(project_id, ''), run_at limit 1) as first)
  union all
  select first_claimable.queue, next.project, next.run_at from first_claimable cross join lateral (
    select coalesce(project_id, '') as project, run_at from job
    where state = 'queued' and place is not null and job.queue = first_claimable.queue
      and coalesce(project_id, '') > first_claimable.project
    order by coalesce(project_id, ''), run_at limit 1) as next),
waiting as (
  select queue, project, room, running from (
    select queue, project, room, coalesce(busy.running, 0) as running,
    row_number() over (partition by queue order by coalesce(busy.running, 0), random()) as number_in_queue
    from first_claimable
    join unnest($1::text[], $2::int[]) as served (queue, room) using (queue)
    left join unnest($3::text[], $4::int[]) as busy (project, running) using (project)
    where run_at <= now() and coalesce(busy.running, 0) < $5::int) as due
  where number_in_queue <= room),
found as (
  select due.id, due.run_at, due.seq, project, running, room,
  row_number() over (partition by queue order by running + due.turn, random()) as number_in_queue
  from waiting cross join lateral (
    select id, run_at, seq, row_number() over () as turn from (
      select id, run_at, seq from job
      where state = 'queued' and place is not null and job.queue = waiting.queue
        and coalesce(project_id, '') = waiting.project
      and run_at <= now()
      order by run_at, seq limit least(room, ($6::int - waiting.running + 1) / 2) for update skip locked)
    as first_due) as due),
shared as (
  select id, running + row_number() over (partition by project order by run_at, seq) as had_then
  from found where number_in_queue <= room),
chosen as materialized (
  select id, had_then, row_number() over (order by had_then, random()) as taken_then from shared)
update job set state = 'running', attempt = attempt + 1, claim = gen_random_uuid(),
  lease_until = clock_timestamp() + make_interval(secs => $7)
from (select set_config('synchronous_commit', 'off', true)) as unsynced
where job.id = any(array(select chosen.id from chosen where had_then - 1 <= $8::int - taken_then))
returning job.id as "id", job.name as "name", job.queue as "queue", job.lane as "lane", job.data as "data",
  job.attempt as "attempt", job.progress as "progress", job.project_id as "projectId", job.width as "width",
  job.place as "place", job.claim as "claim", job.forgiven as "forgiven", job.outages as "outages",
  job.trace_parent as "traceParent", job.every as "every";

-- givePlace (of a lane of eight)
-- planned once, takes the lock 'job'
with free as materialized (select place::smallint from generate_series(1, 8) as place
  where not exists (select from job where lane = $1 and job.place = place.place)),
next as materialized (
  select id, width
    from (select id, width from job where lane = $2 and state = 'queued' and place is null and width > 1
      and width >= (select min(place) from free)
    and run_at <= now() order by run_at, seq limit 1 for update skip locked) as first
  where exists (select from free)),
given as (
  update job set place = (select place from free where place <= next.width order by random() limit 1)
  from next, (select set_config('synchronous_commit', 'off', true)) as unsynced,
    (select set_config('lock_timeout', '20ms', true)) as short_timeout where job.id = next.id returning job.id)
select exists (select from given) as "isGiven",
exists (select from given) and exists (select from free offset 1)
and exists (select from job where lane = $3 and state = 'queued' and place is null and width > 1
  and run_at <= now() offset 1) as "hasMore";

-- givePlace (of a lane of one)
-- planned once, takes the lock 'job'
with placed as materialized (
  select job.id from job, (select set_config('synchronous_commit', 'off', true)) as unsynced,
    (select set_config('lock_timeout', '20ms', true)) as short_timeout where lane = $1 and place = 1 for share of job),
free as materialized (select 1::smallint as place where not exists (select from placed)),
next as materialized (
  select id, width from (select id, width from job where id = (
      select id from job where lane = $2 and state = 'queued' and place is null order by seq limit 1)
    and (state = 'queued' and place is null) is true
      and width >= (select min(place) from free) for update skip locked) as first
  where exists (select from free)),
given as (
  update job set place = (select place from free where place <= next.width order by random() limit 1)
  from next, (select set_config('synchronous_commit', 'off', true)) as unsynced,
    (select set_config('lock_timeout', '20ms', true)) as short_timeout where job.id = next.id returning job.id)
select exists (select from given) as "isGiven",
exists (select from given) and exists (select from free offset 1)
and exists (select from job where lane = $3 and state = 'queued' and place is null offset 1) as "hasMore";

-- keepRecurring
insert into job (id, name, queue, lane, data, state, run_at, created_at, place, every) select id, name, queue, lane,
  data, state, run_at, created_at, place, every
  from ((select $1::text as id, $2::text as name, $3::text as queue, $4::text as lane, $5::jsonb as data,
    $6::text as state, now()::timestamptz as run_at, $7::timestamptz as created_at, $8::smallint as place,
    $9::integer as every)) as wanted
where not exists (select from job where job.name = wanted.name and job.every = wanted.every
  and job.queue = wanted.queue)
on conflict (name) where every is not null do update set every = excluded.every, queue = excluded.queue,
run_at = least(job.run_at, now() + make_interval(secs => excluded.every));

-- lanesWithQueue
-- planned once
with recursive hop as (
  (select lane, width, 1 as hops from job where state = 'queued' and place is null and lane > $1 order by lane,
    seq limit 1)
  union all
  select next.lane, next.width, hops + 1 from hop cross join lateral (
    select lane, width from job where state = 'queued' and place is null and lane > hop.lane order by lane,
      seq limit 1) as next
  where hops < $2)
select lane, width,
(select count(*) from job where job.lane = hop.lane and place <= hop.width) < width
and (width = 1 or exists (
    select from job where job.lane = hop.lane and state = 'queued' and place is null and job.width > 1
      and run_at <= now()))
as "isNeglected"
from hop;

-- look
-- planned once for all values
with recursive first_claimable as (
  (select served.queue, first.project, first.run_at from unnest($1::text[]) as served (queue) cross join lateral (
      select coalesce(project_id, '') as project, run_at from job where state = 'queued' and place is not null
        and job.queue = served.queue
      order by coalesce(project_id, ''), run_at limit 1) as first)
  union all
  select first_claimable.queue, next.project, next.run_at from first_claimable cross join lateral (
    select coalesce(project_id, '') as project, run_at from job
    where state = 'queued' and place is not null and job.queue = first_claimable.queue
      and coalesce(project_id, '') > first_claimable.project
    order by coalesce(project_id, ''), run_at limit 1) as next),
next as materialized (
  select (select min(run_at) from first_claimable) as due,
  (select min(lease_until) from unnest($1::text[]) as served (queue) cross join lateral (
      select lease_until from job where state = 'running' and job.queue = served.queue
      order by lease_until limit 1) as first) as lease,
  (select min(run_at) from unnest($1::text[]) as served (queue) cross join lateral (
      select run_at from job where state = 'suspended' and job.queue = served.queue
      order by run_at limit 1) as first) as suspension)
select coalesce(due <= now(), false) as "hasDue", coalesce(lease < now(), false) as "hasExpired",
coalesce(suspension <= now(), false) as "hasSuspensionOver",
exists (select from job where state = 'queued' and place is null) as "hasQueue",
(extract(epoch from least(due, lease, suspension) - now()) * 1000)::float8 as "dueInMs"
from next;
