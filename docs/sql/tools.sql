-- Made from the code by `npm run docs`; changes here are lost.

-- SuspensionRepository.add
insert into tool_suspension (id, run_id, number, secret_sealed, state, payload, expires_at, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (run_id, number) do nothing;

-- SuspensionRepository.byId
select id as "id", run_id as "runId", number as "number", secret_sealed as "secretSealed", state as "state",
  payload as "payload", expires_at as "expiresAt", created_at as "createdAt" from tool_suspension where id = $1;

-- SuspensionRepository.expire
update tool_suspension set state = 'expired' where id = $1;

-- SuspensionRepository.ofRun
select id as "id", run_id as "runId", number as "number", secret_sealed as "secretSealed", state as "state",
  payload as "payload", expires_at as "expiresAt", created_at as "createdAt" from tool_suspension where run_id = $1
  and number = $2;

-- SuspensionRepository.receive
update tool_suspension set state = 'received', payload = $1 where id = $2;

-- SuspensionRepository.setExpiry
update tool_suspension set expires_at = $1 where id = $2;

-- SuspensionRepository.stateOf
select state from tool_suspension where id = $1;

-- ToolRepository.deploy
-- planned once, takes the lock 'target'
with locked as (
  select * from tool
  where id = $1 and project_id = $2 and version_id is not null for update),
deployed as (
  update tool set deployed_version_id = $3, deployed_at = $4,
  modified_at = $5
  from locked where tool.id = locked.id)
select deployed_version_id as "deployedVersionId", deployed_at as "deployedAt", modified_at as "modifiedAt"
  from locked as tool;

-- ToolRepository.offeredAfter
with named as (
  select tool.id, deployed_version_id as version_id, tool_json::json ->> 'name' as name
  from tool join tool_version on tool_version.id = deployed_version_id
  where project_id = $1),
offered as (select id, version_id, case row_number() over (partition by name order by id) when 1 then name
  else left(name, 41) || '_' || substr(id, 3) end as name from named)
select id, version_id as "versionId", name from offered where id > $2 order by id limit $3;

-- ToolRepository.offeredAs
with named as (
  select tool.id, deployed_version_id as version_id, tool_json::json ->> 'name' as name
  from tool join tool_version on tool_version.id = deployed_version_id
  where project_id = $1),
offered as (select id, version_id, case row_number() over (partition by name order by id) when 1 then name
  else left(name, 41) || '_' || substr(id, 3) end as name from named)
select id, version_id as "versionId", name from offered where name = $2 order by id limit 1;

-- ToolRunRepository.add
-- planned once
insert into tool_run (id, project_id, tool_id, version_id, callflow_id, idempotency_key, caller_name, caller_ref,
  environment, session_id, trace_id, parent_observation_id, tokens_sealed, state, epoch, was_suspended, suspended_until,
  timeout_ms, active_ms, computed_ms, input, output, error_code, error_message, created_at, ended_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
    $25, $26)
on conflict (project_id, idempotency_key) do nothing returning id;

-- ToolRunRepository.byId
-- planned once
select id as "id", project_id as "projectId", tool_id as "toolId", version_id as "versionId",
  callflow_id as "callflowId", idempotency_key as "idempotencyKey", caller_name as "callerName",
  caller_ref as "callerRef", environment as "environment", session_id as "sessionId", trace_id as "traceId",
  parent_observation_id as "parentObservationId", tokens_sealed as "tokensSealed", state as "state", epoch as "epoch",
  was_suspended as "wasSuspended", suspended_until as "suspendedUntil", timeout_ms as "timeoutMs",
  active_ms as "activeMs", computed_ms as "computedMs", input as "input", output as "output", error_code as "errorCode",
  error_message as "errorMessage", created_at as "createdAt", ended_at as "endedAt" from tool_run where id = $1;

-- ToolRunRepository.byKey
-- planned once
select id as "id", project_id as "projectId", tool_id as "toolId", version_id as "versionId",
  callflow_id as "callflowId", idempotency_key as "idempotencyKey", caller_name as "callerName",
  caller_ref as "callerRef", environment as "environment", session_id as "sessionId", trace_id as "traceId",
  parent_observation_id as "parentObservationId", tokens_sealed as "tokensSealed", state as "state", epoch as "epoch",
  was_suspended as "wasSuspended", suspended_until as "suspendedUntil", timeout_ms as "timeoutMs",
  active_ms as "activeMs", computed_ms as "computedMs", input as "input", output as "output", error_code as "errorCode",
  error_message as "errorMessage", created_at as "createdAt", ended_at as "endedAt" from tool_run where project_id = $1
  and idempotency_key = $2;

-- ToolRunRepository.deleteOfSession
-- takes the lock 'toolRun'
delete from tool_run where session_id = $1 returning id;

-- ToolRunRepository.end (completed)
-- planned once, takes the lock 'toolRun'
update tool_run set state = $1, output = $2, error_code = $3,
error_message = $4, suspended_until = null, tokens_sealed = null,
ended_at = $5
where id = $6 and epoch = $7 and state = 'running' returning id;

-- ToolRunRepository.end (failed)
-- planned once, takes the lock 'toolRun'
update tool_run set state = $1, output = $2, error_code = $3,
error_message = $4, suspended_until = null, tokens_sealed = null,
ended_at = $5
where id = $6 and epoch = $7 and state = 'running' returning id;

-- ToolRunRepository.fail
-- planned once, takes the lock 'toolRun'
update tool_run set state = $1, output = $2, error_code = $3,
error_message = $4, suspended_until = null, tokens_sealed = null,
ended_at = $5
where id = $6 and state in ('running', 'suspended') returning id;

-- ToolRunRepository.keep (a step)
-- planned once, takes the lock 'toolRun'
with mine as (update tool_run set active_ms = $1, computed_ms = $2
  where id = $3 and epoch = $4 and state = 'running' returning id),
kept as (insert into tool_run_step (id, run_id, step, node_id, type, status, way, input, output, output_sealed,
  error_code, error_message, started_at, ended_at) select id,
  run_id, step, node_id, type, status, way, input, output, output_sealed, error_code, error_message, started_at,
    ended_at
  from unnest($5::text[], $6::text[], $7::integer[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
    $13::text[], $14::text[], $15::text[], $16::text[], $17::timestamptz[], $18::timestamptz[]) as given (id, run_id,
    step, node_id, type, status, way, input, output, output_sealed, error_code, error_message, started_at, ended_at)
  where exists (select from mine) on conflict do nothing)
select id from mine;

-- ToolRunRepository.keep (no step)
-- planned once, takes the lock 'toolRun'
update tool_run set active_ms = $1, computed_ms = $2
where id = $3 and epoch = $4 and state = 'running' returning id;

-- ToolRunRepository.listed (a later page)
select id as "id", project_id as "projectId", tool_id as "toolId", version_id as "versionId",
  callflow_id as "callflowId", idempotency_key as "idempotencyKey", caller_name as "callerName",
  caller_ref as "callerRef", environment as "environment", session_id as "sessionId", trace_id as "traceId",
  parent_observation_id as "parentObservationId", tokens_sealed as "tokensSealed", state as "state", epoch as "epoch",
  was_suspended as "wasSuspended", suspended_until as "suspendedUntil", timeout_ms as "timeoutMs",
  active_ms as "activeMs", computed_ms as "computedMs", input as "input", output as "output", error_code as "errorCode",
  error_message as "errorMessage", created_at as "createdAt", ended_at as "endedAt" from tool_run where tool_id = $1
  and id < $2 order by id desc limit $3;

-- ToolRunRepository.listed (the first page)
select id as "id", project_id as "projectId", tool_id as "toolId", version_id as "versionId",
  callflow_id as "callflowId", idempotency_key as "idempotencyKey", caller_name as "callerName",
  caller_ref as "callerRef", environment as "environment", session_id as "sessionId", trace_id as "traceId",
  parent_observation_id as "parentObservationId", tokens_sealed as "tokensSealed", state as "state", epoch as "epoch",
  was_suspended as "wasSuspended", suspended_until as "suspendedUntil", timeout_ms as "timeoutMs",
  active_ms as "activeMs", computed_ms as "computedMs", input as "input", output as "output", error_code as "errorCode",
  error_message as "errorMessage", created_at as "createdAt", ended_at as "endedAt" from tool_run where tool_id = $1
  order by id desc limit $2;

-- ToolRunRepository.lock
-- planned once, takes the lock 'toolRun'
select state from tool_run where id = $1 for update;

-- ToolRunRepository.lockUnended
-- planned once, takes the lock 'toolRun'
select id as "id", project_id as "projectId", tool_id as "toolId", version_id as "versionId",
  callflow_id as "callflowId", idempotency_key as "idempotencyKey", caller_name as "callerName",
  caller_ref as "callerRef", environment as "environment", session_id as "sessionId", trace_id as "traceId",
  parent_observation_id as "parentObservationId", tokens_sealed as "tokensSealed", state as "state", epoch as "epoch",
  was_suspended as "wasSuspended", suspended_until as "suspendedUntil", timeout_ms as "timeoutMs",
  active_ms as "activeMs", computed_ms as "computedMs", input as "input", output as "output", error_code as "errorCode",
  error_message as "errorMessage", created_at as "createdAt", ended_at as "endedAt" from tool_run where tool_id = $1
  and state in ('running', 'suspended') order by id for update;

-- ToolRunRepository.lockUnendedFor
-- planned once, takes the lock 'toolRun'
select id as "id", project_id as "projectId", tool_id as "toolId", version_id as "versionId",
  callflow_id as "callflowId", idempotency_key as "idempotencyKey", caller_name as "callerName",
  caller_ref as "callerRef", environment as "environment", session_id as "sessionId", trace_id as "traceId",
  parent_observation_id as "parentObservationId", tokens_sealed as "tokensSealed", state as "state", epoch as "epoch",
  was_suspended as "wasSuspended", suspended_until as "suspendedUntil", timeout_ms as "timeoutMs",
  active_ms as "activeMs", computed_ms as "computedMs", input as "input", output as "output", error_code as "errorCode",
  error_message as "errorMessage", created_at as "createdAt", ended_at as "endedAt" from tool_run where session_id = $1
  and caller_name = $2 and caller_ref = $3 and state in ('running', 'suspended') order by id for update;

-- ToolRunRepository.ofTool
-- planned once
select id as "id", project_id as "projectId", tool_id as "toolId", version_id as "versionId",
  callflow_id as "callflowId", idempotency_key as "idempotencyKey", caller_name as "callerName",
  caller_ref as "callerRef", environment as "environment", session_id as "sessionId", trace_id as "traceId",
  parent_observation_id as "parentObservationId", tokens_sealed as "tokensSealed", state as "state", epoch as "epoch",
  was_suspended as "wasSuspended", suspended_until as "suspendedUntil", timeout_ms as "timeoutMs",
  active_ms as "activeMs", computed_ms as "computedMs", input as "input", output as "output", error_code as "errorCode",
  error_message as "errorMessage", created_at as "createdAt", ended_at as "endedAt" from tool_run where id = $1
  and tool_id = $2 and project_id = $3;

-- ToolRunRepository.suspend
-- planned once, takes the lock 'toolRun'
update tool_run set state = 'suspended', suspended_until = $1, was_suspended = true
where id = $2 and epoch = $3 and state = 'running';

-- ToolRunRepository.takeOver
-- planned once, takes the lock 'toolRun'
update tool_run set epoch = epoch + 1 where id = $1 and state = 'running'
returning id as "id", project_id as "projectId", tool_id as "toolId", version_id as "versionId",
  callflow_id as "callflowId", idempotency_key as "idempotencyKey", caller_name as "callerName",
  caller_ref as "callerRef", environment as "environment", session_id as "sessionId", trace_id as "traceId",
  parent_observation_id as "parentObservationId", tokens_sealed as "tokensSealed", state as "state", epoch as "epoch",
  was_suspended as "wasSuspended", suspended_until as "suspendedUntil", timeout_ms as "timeoutMs",
  active_ms as "activeMs", computed_ms as "computedMs", input as "input", output as "output", error_code as "errorCode",
  error_message as "errorMessage", created_at as "createdAt", ended_at as "endedAt";

-- ToolRunRepository.unendedOf
select id as "id", project_id as "projectId", tool_id as "toolId", version_id as "versionId",
  callflow_id as "callflowId", idempotency_key as "idempotencyKey", caller_name as "callerName",
  caller_ref as "callerRef", environment as "environment", session_id as "sessionId", trace_id as "traceId",
  parent_observation_id as "parentObservationId", tokens_sealed as "tokensSealed", state as "state", epoch as "epoch",
  was_suspended as "wasSuspended", suspended_until as "suspendedUntil", timeout_ms as "timeoutMs",
  active_ms as "activeMs", computed_ms as "computedMs", input as "input", output as "output", error_code as "errorCode",
  error_message as "errorMessage", created_at as "createdAt", ended_at as "endedAt" from tool_run where tool_id = $1
  and state in ('running', 'suspended')
order by session_id collate "C", id;

-- ToolRunRepository.wake
-- planned once, takes the lock 'toolRun'
update tool_run set state = 'running', suspended_until = null
where id = $1 and state = 'suspended' returning project_id as "projectId";

-- ToolRunStepRepository.ofRun
-- planned once
select id as "id", run_id as "runId", step as "step", node_id as "nodeId", type as "type", status as "status",
  way as "way", input as "input", output as "output", output_sealed as "outputSealed", error_code as "errorCode",
  error_message as "errorMessage", started_at as "startedAt", ended_at as "endedAt" from tool_run_step where run_id = $1
  order by step;

-- ToolVersionRepository.rowOf
select id as "id", tool_id as "toolId", number as "number", scope_id as "scopeId", tool_json as "toolJson",
  callflows_json as "callflowsJson", variables_json as "variablesJson", secrets_sealed as "secretsSealed",
  created_at as "createdAt" from tool_version where id = $1;
