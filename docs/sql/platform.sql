-- Made from the code by `npm run docs`; changes here are lost.

-- IdempotencyKeyRepository.claim
insert into idempotency_key as k (id, fingerprint, attempt, lease_until, created_at)
  values ($1, $2, $3, now() + make_interval(secs => $4), $5)
on conflict (id) do update set fingerprint = excluded.fingerprint, attempt = k.attempt + 1,
lease_until = excluded.lease_until, created_at = excluded.created_at, answer_sealed = null
where k.created_at < $6::timestamptz - make_interval(hours => $7)
or (k.answer_sealed is null and k.lease_until < now() and k.fingerprint = excluded.fingerprint)
returning id, attempt;

-- IdempotencyKeyRepository.keep
-- planned once
update idempotency_key set answer_sealed = $1
where id = $2 and attempt = $3 returning id;

-- IdempotencyKeyRepository.keepFirst
update idempotency_key set answer_sealed = $1
where id = $2 and attempt = $3 and answer_sealed is null returning id;

-- IdempotencyKeyRepository.read
select id as "id", fingerprint as "fingerprint", attempt as "attempt", lease_until as "leaseUntil",
  answer_sealed as "answerSealed", created_at as "createdAt",
  extract(epoch from lease_until - now())::float8 as "secondsLeft"
from idempotency_key where id = $1;

-- IdempotencyKeyRepository.release
delete from idempotency_key where id = $1 and attempt = $2 and answer_sealed is null;

-- IdempotencyKeyRepository.releaseClaimedAt
delete from idempotency_key where id = $1 and created_at = $2::timestamptz and answer_sealed is null;

-- ProjectRetentionRepository.forget
delete from project_retention where project_id = $1 and name = $2;

-- ProjectRetentionRepository.keep
insert into project_retention (project_id, name, days) values ($1, $2, $3)
on conflict (project_id, name) do update set days = excluded.days;

-- ProjectRetentionRepository.named
select project_id as "projectId", name as "name", days as "days" from project_retention where name = $1;

-- ProjectRetentionRepository.ofProject
select project_id as "projectId", name as "name", days as "days" from project_retention where project_id = $1;

-- SealedRows.batch
select id as id,
  case when substring(left(secrets_sealed, 12)
    from '^v1\.([1-9]\d{0,5})\.')::integer < $1 then secrets_sealed end as sealed
from connection where id > $2 and secrets_sealed is not null order by id limit $3;

-- SealedRows.replace
update connection set secrets_sealed = $1 where id = $2 and secrets_sealed = $3
returning 1;

-- ServiceProcessRepository.all
select id as "id", name as "name", role as "role", queues as "queues", version as "version", started_at as "startedAt",
  seen_at as "seenAt",
seen_at > now() - make_interval(secs => $1) as "isAlive"
from service_process order by started_at, id;

-- ServiceProcessRepository.beat
insert into service_process (id, name, role, queues, version, started_at, seen_at)
  values ($1, $2, $3, $4, $5, now(), now())
on conflict (id) do update set seen_at = excluded.seen_at;

-- ServiceProcessRepository.delete
delete from service_process where id = $1;

-- announce
-- planned once
insert into unkept_object (name, due_at)
select $1::text, $2::timestamptz where true;

-- doom
update unkept_object set is_doomed = true, due_at = $1 where name = any(array(
    select name from unkept_object where name = $2 order by due_at limit 100
    for update skip locked))
returning name;

-- doomDue
update unkept_object set is_doomed = true, due_at = $1 where name = any(array(
    select name from unkept_object where due_at < $2 order by due_at limit 100
    for update skip locked))
returning name;

-- forget
delete from unkept_object where name = any($1);

-- keep
-- planned once
delete from unkept_object where name = $1 and not is_doomed returning name;

-- oldRows (of a project)
delete from audit_entry where ctid = any(array(
    select ctid from audit_entry where project_id = $1 and true and at >= $2 and at < $3
    order by at limit $4 for update skip locked))
returning at as time;

-- oldRows (of no project)
delete from audit_entry where ctid = any(array(
    select ctid from audit_entry where project_id is null and true and at >= $1 and at < $2
    order by at limit $3 for update skip locked))
returning at as time;

-- oldRows (one period for all)
delete from run where ctid = any(array(
    select ctid from run where true and finished_at is not null and finished_at >= $1 and finished_at < $2
    order by finished_at limit $3 for update skip locked))
returning finished_at as time;

-- oldRows (the oldest of each project)
with recursive found (project) as (
  (select project_id from audit_entry where true and project_id is not null order by project_id limit 1)
  union all
  select next.project from found cross join lateral (
    select project_id as project from audit_entry where true and project_id > found.project
    order by project_id limit 1) as next)
select project, (select min(at) from audit_entry where true and project_id = found.project) as oldest from found
union all
select null, min(at) from audit_entry where true and project_id is null;

-- positionOfPrimary
-- planned once
select pg_current_wal_insert_lsn()::text as position, system_identifier::text as cluster
from pg_control_system();

-- release
-- planned once
insert into unkept_object (name, due_at)
select name, $1 from (select unnest($2::text[])) as gone (name);

-- releaseSelected
-- planned once
insert into unkept_object (name, due_at)
select name, $1 from (select name from gone) as gone (name);

-- replicaAt
-- planned once
select pg_is_in_recovery() as "isReplica", pg_last_wal_replay_lsn() >= $1::pg_lsn as "isFresh",
system_identifier::text as cluster
from pg_control_system();

-- secondsBehind
-- planned once
select case when pg_last_wal_replay_lsn() >= $1::pg_lsn then 0
else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 end as seconds;
