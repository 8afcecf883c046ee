-- Made from the code by `npm run docs`; changes here are lost.

-- HostingProcessRepository.delete
delete from model_host where holder = $1;

-- HostingProcessRepository.live
select holder as "id", host as "host", room as "room", problem as "problem", lease_until as "leaseUntil" from model_host
  where host = $1 and lease_until > now();

-- HostingProcessRepository.renewLease
with wanted as materialized (
  select count(*) > 0 as "isAny",
    count(*) filter (where not exists (select from model_host h where h.holder = d.holder
      and h.lease_until > now())) > 0 as "isAnyFree"
  from model_deployment d where d.host = $1 and d.state in ('STARTING', 'LIVE') and d.trouble is null),
renewed as (
  insert into model_host (holder, host, room, problem, lease_until)
    values ($2, $3, $4, $5,
      now() + case when (select "isAny" from wanted) then interval '6 seconds' else interval '60 seconds' end)
  on conflict (holder) do update
  set room = excluded.room, problem = excluded.problem, lease_until = excluded.lease_until),
claimed as (select * from model_deployment d where d.holder = $6 and d.state in ('STARTING', 'LIVE')
  and d.trouble is null)
select "isAny", "isAnyFree", (select coalesce(jsonb_agg(c), '[]') from (
    select d.id as "id", d.project_id as "projectId", d.scaling_parameters as "scalingParameters",
      d.device_type as "deviceType",
    d.state = 'STARTING' as "isStarting", m.kind, m.file_id as "fileId", m.facts->>'entry' as entry,
    b.file_id as "baseFileId", b.facts->>'entry' as "baseEntry"
    from claimed d join model m on m.id = d.model_id left join model b on b.id = d.base_model_id) c) as claimed
from wanted;

-- ModelDeploymentRepository.claim
with claimed as (
  update model_deployment set holder = $1
  where id = (
    select id from model_deployment d where host = $2 and d.state in ('STARTING', 'LIVE') and d.trouble is null
    and not exists (select from model_host h where h.holder = d.holder and h.lease_until > now())
      and (scaling_parameters->>'minReplicas')::int <= $3
    order by id limit 1 for update skip locked)
  returning *)
select d.id as "id", d.project_id as "projectId", d.scaling_parameters as "scalingParameters",
  d.device_type as "deviceType",
d.state = 'STARTING' as "isStarting", m.kind, m.file_id as "fileId", m.facts->>'entry' as entry,
b.file_id as "baseFileId", b.facts->>'entry' as "baseEntry"
from claimed d join model m on m.id = d.model_id left join model b on b.id = d.base_model_id;

-- ModelDeploymentRepository.filesInUse
select unnest(array[m.file_id, b.file_id]) as id from model_deployment d join model m on m.id = d.model_id
left join model b on b.id = d.base_model_id where d.state in ('STARTING', 'LIVE');

-- ModelDeploymentRepository.noteProgress
update model_deployment set progress = $1
where id = $2 and holder = $3 and state = 'STARTING';

-- ModelDeploymentRepository.noteTrouble
update model_deployment set trouble = $1, holder = null
where id = $2 and holder = $3 and state = 'STARTING';

-- ModelDeploymentRepository.releaseAll
update model_deployment set holder = null where holder = $1;

-- ModelDeploymentRepository.servingStateOf
select d.progress as "progress", d.trouble as "trouble",
  exists (select from model_host h where h.holder = d.holder and h.lease_until > now()) as "isClaimed",
(select count(*)::int from model_replica r join model_host h on h.holder = r.holder
  where r.deployment_id = d.id and h.lease_until > now()) as ready
from model_deployment d where d.id = $1;

-- ModelDeploymentRepository.toServeOn
select d.id from model_deployment d where d.host = $1 and d.state in ('STARTING', 'LIVE') and d.trouble is null;

-- ModelReplicaRepository.add
insert into model_replica (id, deployment_id, holder, host, address, token_sealed, started_at) select $1, $2, $3, $4,
  $5, $6, now()
from model_deployment where id = $7 and holder = $8;

-- ModelReplicaRepository.countByState
with replicas as (
  select r.deployment_id, h.lease_until > now() as lives from model_replica r join model_host h using (holder)),
deployed as (
  select case when d.host = any($1::text[]) then 1 else (d.scaling_parameters->>'minReplicas')::int end as wanted,
  (select count(*)::int from replicas where deployment_id = d.id and lives) as ready
  from model_deployment d where d.state in ('STARTING', 'LIVE'))
select coalesce(sum(ready), 0)::int as ready,
coalesce(sum(greatest(wanted - ready, 0)), 0)::int as missing,
(select count(*)::int from replicas where not lives) as lost
from deployed;

-- ModelReplicaRepository.delete
delete from model_replica where id = $1;

-- ModelReplicaRepository.liveOf
-- planned once
select r.id as "id", r.deployment_id as "deploymentId", r.holder as "processId", r.host as "host",
  r.address as "address", r.token_sealed as "tokenSealed", r.started_at as "startedAt"
from model_replica r join model_deployment d on d.id = r.deployment_id join model_host h on h.holder = r.holder
where r.deployment_id = $1 and h.lease_until > now() and d.state in ('STARTING', 'LIVE');

-- ModelReplicaRepository.ofModel
select r.id as "id", r.deployment_id as "deploymentId", r.holder as "processId", r.host as "host",
  r.started_at as "startedAt", h.lease_until > now() as "isAlive"
from model_replica r join model_deployment d on d.id = r.deployment_id join model_host h on h.holder = r.holder
where d.model_id = $1 and d.state in ('STARTING', 'LIVE') order by r.started_at, r.id;

-- ModelReplicaRepository.shortagesIn
with live as (
  select d.model_id, d.host,
    case when d.host = any($1::text[]) then 1 else (d.scaling_parameters->>'minReplicas')::int end as wanted,
  (select count(*)::int from model_replica r join model_host h using (holder)
    where r.deployment_id = d.id and h.lease_until > now()) as ready
  from model_deployment d where d.project_id = $2 and d.state = 'LIVE')
select m.id as "modelId", m.name, live.wanted, live.ready,
exists (select from model_host h where h.host = live.host and h.lease_until > now() and h.problem is null) as "hasHost",
(select max(h.problem) from model_host h where h.host = live.host and h.lease_until > now()) as "hostProblem"
from live join model m on m.id = live.model_id where live.ready < live.wanted order by m.id;
