-- Made from the code by `npm run docs`; changes here are lost.

-- ActivationRepository.activeAt
-- planned once
select
a.environment_id as "environmentId", a.version_id as "versionId",
v.agent_id as "agentId", v.welcome_message as "welcomeMessage"
from agent_activation a join agent_version v on v.id = a.version_id
where a.environment_id = (select id from environment where app_id = $1 and name = $2) and a.ended_at is null;

-- ActivationRepository.activeIn
-- planned once
select
a.environment_id as "environmentId", a.version_id as "versionId",
v.agent_id as "agentId", v.welcome_message as "welcomeMessage"
from agent_activation a join agent_version v on v.id = a.version_id
where a.environment_id = any($1) and a.ended_at is null;

-- ActivationRepository.messageTarget
-- planned once
select app.project_id as "projectId", app.id as "appId", e.name as environment, e.id as "envId",
a.environment_id as "environmentId", a.version_id as "versionId",
v.agent_id as "agentId", v.welcome_message as "welcomeMessage"
from app left join environment e on e.app_id = app.id and e.name = $1
left join (agent_activation a join agent_version v on v.id = a.version_id)
on a.environment_id = e.id and a.ended_at is null
where app.id = $2;

-- ActivationRepository.removeOf
delete from agent_activation
where version_id in (select id from agent_version where agent_id = $1);

-- AgentRunRepository.add
-- planned once
insert into run (id, number, project_id, app_id, session_id, environment, user_id, version_id, state, job_id, sink_name,
  sink_ref, channel, is_new_session, is_streamed, trace_id, observation_id,
  created_at) overriding system value select $1::text as id,
  $2::bigint as number, $3::text as project_id, $4::text as app_id, $5::text as session_id, $6::text as environment,
  $7::text as user_id, $8::text as version_id, $9::text as state, $10::text as job_id, $11::text as sink_name,
  $12::text as sink_ref, $13::text as channel, $14::boolean as is_new_session, $15::boolean as is_streamed,
  $16::text as trace_id, $17::text as observation_id, $18::timestamptz as created_at;

-- AgentRunRepository.addCall
-- planned once
update run set llm_calls = llm_calls + 1, input_tokens = input_tokens + $1,
output_tokens = output_tokens + $2, cost = cost + $3::numeric where id = $4 and (finished_at is null) is true
  returning id;

-- AgentRunRepository.addCallAfter
-- planned once, takes the lock 'session', takes the lock 'agentRun'
with first as (delete from session_memory returning 1)
update run set llm_calls = llm_calls + 1, input_tokens = input_tokens + $1,
output_tokens = output_tokens + $2, cost = cost + $3::numeric where id = $4 and (finished_at is null) is true
  and (select count(*) from first) >= 0
returning id;

-- AgentRunRepository.addToolCall
-- planned once, takes the lock 'agentRun'
update run set tool_calls = tool_calls + 1 where id = $1 returning id;

-- AgentRunRepository.begin
-- planned once, takes the lock 'agentRun'
with locked as (select * from run where id = $1 and (finished_at is null) is true for no key update),
begun as (
  update run set state = 'running', is_resumed = false, started_at = coalesce(locked.started_at, $2)
  from locked where run.id = locked.id)
select id as "id", number::float8 as "number", project_id as "projectId", app_id as "appId", session_id as "sessionId",
  environment as "environment", user_id as "userId", version_id as "versionId", state as "state", job_id as "jobId",
  sink_name as "sinkName", sink_ref as "sinkRef", channel as "channel", is_new_session as "isNewSession",
  is_streamed as "isStreamed", is_resumed as "isResumed", trace_id as "traceId", observation_id as "observationId",
  created_at as "createdAt", started_at as "startedAt", finished_at as "finishedAt", error_code as "errorCode",
  error_message as "errorMessage", used_fallback as "usedFallback", llm_calls as "llmCalls", tool_calls as "toolCalls",
  input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cost::float8 as "cost",
  active_ms::float8 as "activeMs",
(select to_jsonb(answering)
  from (select v.id as "id", v.agent_id as "agentId", v.number as "number", v.instructions as "instructions",
    v.connection_id as "connectionId", v.model_id as "modelId", v.model as "model", v.tool_ids as "toolIds",
    v.mcp_connection_ids as "mcpConnectionIds", v.welcome_message as "welcomeMessage",
    v.fallback_message as "fallbackMessage", v.history_tokens as "historyTokens", v.max_steps as "maxSteps",
    v.timeout_seconds as "timeoutSeconds", a.name as "agentName"
    from agent_version v join agent a on a.id = v.agent_id where v.id = run.version_id) as answering) as version
from locked as run;

-- AgentRunRepository.byId
-- planned once
select id as "id", number::float8 as "number", project_id as "projectId", app_id as "appId", session_id as "sessionId",
  environment as "environment", user_id as "userId", version_id as "versionId", state as "state", job_id as "jobId",
  sink_name as "sinkName", sink_ref as "sinkRef", channel as "channel", is_new_session as "isNewSession",
  is_streamed as "isStreamed", is_resumed as "isResumed", trace_id as "traceId", observation_id as "observationId",
  created_at as "createdAt", started_at as "startedAt", finished_at as "finishedAt", error_code as "errorCode",
  error_message as "errorMessage", used_fallback as "usedFallback", llm_calls as "llmCalls", tool_calls as "toolCalls",
  input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cost::float8 as "cost",
  active_ms::float8 as "activeMs" from run where id = $1;

-- AgentRunRepository.finish
-- planned once, takes the lock 'session', takes the lock 'agentRun'
with locked as (select from session where id = $1 for no key update)
update run set state = $2, finished_at = $3,
error_code = $4, error_message = $5,
used_fallback = $6, active_ms = active_ms + $7
where id = $8 and (finished_at is null) is true and exists (select from locked) returning id as "id",
  number::float8 as "number", project_id as "projectId", app_id as "appId", session_id as "sessionId",
  environment as "environment", user_id as "userId", version_id as "versionId", state as "state", job_id as "jobId",
  sink_name as "sinkName", sink_ref as "sinkRef", channel as "channel", is_new_session as "isNewSession",
  is_streamed as "isStreamed", is_resumed as "isResumed", trace_id as "traceId", observation_id as "observationId",
  created_at as "createdAt", started_at as "startedAt", finished_at as "finishedAt", error_code as "errorCode",
  error_message as "errorMessage", used_fallback as "usedFallback", llm_calls as "llmCalls", tool_calls as "toolCalls",
  input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cost::float8 as "cost",
  active_ms::float8 as "activeMs";

-- AgentRunRepository.lock
-- planned once, takes the lock 'agentRun'
select id as "id", number::float8 as "number", project_id as "projectId", app_id as "appId", session_id as "sessionId",
  environment as "environment", user_id as "userId", version_id as "versionId", state as "state", job_id as "jobId",
  sink_name as "sinkName", sink_ref as "sinkRef", channel as "channel", is_new_session as "isNewSession",
  is_streamed as "isStreamed", is_resumed as "isResumed", trace_id as "traceId", observation_id as "observationId",
  created_at as "createdAt", started_at as "startedAt", finished_at as "finishedAt", error_code as "errorCode",
  error_message as "errorMessage", used_fallback as "usedFallback", llm_calls as "llmCalls", tool_calls as "toolCalls",
  input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cost::float8 as "cost",
  active_ms::float8 as "activeMs" from run where id = $1 for no key update;

-- AgentRunRepository.next
-- planned once
select nextval(pg_get_serial_sequence('run', 'number'))::float8 as number, count(*)::integer as waiting
from run where session_id = $1 and finished_at is null;

-- AgentRunRepository.resume
-- planned once, takes the lock 'agentRun'
update run set is_resumed = true where id = $1;

-- AgentRunRepository.suspend
-- planned once, takes the lock 'agentRun'
update run set state = 'suspended', active_ms = active_ms + $1 where id = $2;

-- AgentRunRepository.unfinished
-- planned once
select id as "id", number::float8 as "number", project_id as "projectId", app_id as "appId", session_id as "sessionId",
  environment as "environment", user_id as "userId", version_id as "versionId", state as "state", job_id as "jobId",
  sink_name as "sinkName", sink_ref as "sinkRef", channel as "channel", is_new_session as "isNewSession",
  is_streamed as "isStreamed", is_resumed as "isResumed", trace_id as "traceId", observation_id as "observationId",
  created_at as "createdAt", started_at as "startedAt", finished_at as "finishedAt", error_code as "errorCode",
  error_message as "errorMessage", used_fallback as "usedFallback", llm_calls as "llmCalls", tool_calls as "toolCalls",
  input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cost::float8 as "cost",
  active_ms::float8 as "activeMs" from run where session_id = $1 and finished_at is null
order by run.number;

-- AgentVersionRepository.answering
-- planned once
select v.id as "id", v.agent_id as "agentId", v.number as "number", v.instructions as "instructions",
  v.connection_id as "connectionId", v.model_id as "modelId", v.model as "model", v.tool_ids as "toolIds",
  v.mcp_connection_ids as "mcpConnectionIds", v.welcome_message as "welcomeMessage",
  v.fallback_message as "fallbackMessage", v.history_tokens as "historyTokens", v.max_steps as "maxSteps",
  v.timeout_seconds as "timeoutSeconds", a.name as "agentName"
from agent_version v join agent a on a.id = v.agent_id where v.id = $1;

-- SignInFlowRepository.add
insert into auth_flow (id, profile_id, user_id, verifier_sealed, code_digest, tries, browser_digest, expires_at,
  used_at) select id,
  profile_id, user_id, verifier_sealed, code_digest, tries, browser_digest, expires_at, used_at
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::text[], $8::timestamptz[],
    $9::timestamptz[]) as given (id, profile_id, user_id, verifier_sealed, code_digest, tries, browser_digest,
      expires_at,
    used_at);

-- SignInFlowRepository.bind
update auth_flow set
browser_digest = case when (code_digest is null or code_digest = $1) then $2 else browser_digest end,
tries = case when (code_digest is null or code_digest = $3) then tries else tries + 1 end,
used_at = case when not (code_digest is null or code_digest = $4) and tries + 1 >= $5 then $6::timestamptz end
where id = $7 and used_at is null and expires_at > $8
returning id as "id", profile_id as "profileId", user_id as "userId", verifier_sealed as "verifierSealed",
  code_digest as "codeDigest", tries as "tries", browser_digest as "browserDigest", expires_at as "expiresAt",
  used_at as "usedAt";

-- SignInFlowRepository.open
select f.code_digest as "codeDigest", p.idp_name as "idpName",
a.name as "appName", u.reference as "userReference"
from auth_flow f
join auth_profile p on p.id = f.profile_id
join app a on a.id = p.app_id
join app_user u on u.id = f.user_id
where f.id = $1 and f.used_at is null and f.expires_at > $2;

-- SignInFlowRepository.use
update auth_flow set used_at = $1 where id = $2 and used_at is null and expires_at > $3
returning id as "id", profile_id as "profileId", user_id as "userId", verifier_sealed as "verifierSealed",
  code_digest as "codeDigest", tries as "tries", browser_digest as "browserDigest", expires_at as "expiresAt",
  used_at as "usedAt";

-- UserTokenRepository.keep
insert into user_token (id, profile_id, user_id, tokens_sealed, expires_at, updated_at) values ($1, $2, $3, $4, $5, $6)
on conflict (id) do update set tokens_sealed = excluded.tokens_sealed, expires_at = excluded.expires_at,
updated_at = excluded.updated_at;

-- UserTokenRepository.lock
select id as "id", profile_id as "profileId", user_id as "userId", tokens_sealed as "tokensSealed",
  expires_at as "expiresAt", updated_at as "updatedAt" from user_token where id = $1 for update;

-- UserTokenRepository.ofUser
select id as "id", profile_id as "profileId", user_id as "userId", tokens_sealed as "tokensSealed",
  expires_at as "expiresAt", updated_at as "updatedAt" from user_token where user_id = $1;

-- UserTokenRepository.ofUserByProfile
-- planned once
select p.id as "id", p.idp_name as "idpName", p.sso_type as "ssoType", p.requires_code as "requiresCode",
t.tokens_sealed as "tokensSealed", t.expires_at as "expiresAt"
from auth_profile p left join user_token t on t.profile_id = p.id and t.user_id = $1
where p.app_id = $2 order by p.id;

-- UserTokenRepository.waitAtMost
select set_config('lock_timeout', $1, true);
