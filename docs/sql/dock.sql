-- Made from the code by `npm run docs`; changes here are lost.

-- DockJobRepository.add
-- planned once
insert into dock_job (id, project_id, target_id, scope_id, job_type, action, export_job_id, data, status, job_id,
  attempts, percentage_complete, stage, response, error_code, error_message, created_at, started_at, finished_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19);

-- DockJobRepository.countByState
select job_type as type, action, state, count(*)::int as count from (
  select job_type, action, case when started_at is null then 'waiting' else 'running' end as state
  from dock_job where status = 'IN_PROGRESS'
  union all
  select job_type, action, case status when 'SUCCESS' then 'succeeded' else 'failed' end
  from dock_job where finished_at > now() - interval '1 day') as counted
group by job_type, action, state;

-- DockJobRepository.end (FAILED)
-- planned once, takes the lock 'dockJob'
update dock_job set status = 'FAILED', error_code = $1, error_message = $2, started_at = coalesce(started_at, $3),
  finished_at = $4
where id = $5;

-- DockJobRepository.end (SUCCESS)
-- planned once, takes the lock 'dockJob'
update dock_job set status = 'SUCCESS', percentage_complete = 100, response = $1, started_at = coalesce(started_at, $2),
  finished_at = $3
where id = $4;

-- DockJobRepository.lockRunning
-- planned once, takes the lock 'dockJob'
with running as materialized (
  select id from dock_job where id = $1 and (status = 'IN_PROGRESS') is true for update)
select case when exists (select
  from running) then true else concat('slipway demands: the dock job is running')::boolean end;

-- DockJobRepository.noteProgress
-- planned once, takes the lock 'dockJob'
update dock_job set attempts = $1, started_at = coalesce(started_at, $2),
percentage_complete = coalesce($3, percentage_complete), stage = coalesce($4, stage)
from (select set_config('synchronous_commit', 'off', true)) as unsynced where id = $5 and attempts <= $6
  and (status = 'IN_PROGRESS') is true;

-- DockJobRepository.running
select id as "id", project_id as "projectId", target_id as "targetId", scope_id as "scopeId", job_type as "jobType",
  action as "action", export_job_id as "exportJobId", data as "data", status as "status", job_id as "jobId",
  attempts as "attempts", percentage_complete as "percentageComplete", stage as "stage", response as "response",
  error_code as "errorCode", error_message as "errorMessage", created_at as "createdAt", started_at as "startedAt",
  finished_at as "finishedAt" from dock_job where id = $1 and (status = 'IN_PROGRESS') is true;

-- DockJobRepository.runningFor
-- planned once
select id as "id", action as "action" from dock_job
where target_id = $1 and status = 'IN_PROGRESS';
