-- Made from the code by `npm run docs`; changes here are lost.

-- AttemptRepository.lastOf
select attempt.delivery_id as "deliveryId", attempt.number as "number", attempt.at as "at", attempt.url as "url",
  attempt.status as "status", attempt.latency_ms as "latencyMs", attempt.error as "error", attempt.answer as "answer"
  from unnest($1::text[]) as wanted (id) cross join lateral (
  select * from webhook_attempt where delivery_id = wanted.id order by number desc limit 100) as attempt
order by delivery_id, number;

-- DeliveryRepository.add
-- planned once
insert into webhook_delivery (id, project_id, subscription_id, message_id, event_id, event, body, status, attempts,
  attempts_since_replay, next_attempt_at, last_error, created_at, ended_at, is_forgotten)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15);

-- DeliveryRepository.countFailed
select count(*)::integer as count from webhook_delivery where subscription_id = $1 and status = 'FAILED'
  and ended_at between $2 and $3;

-- DeliveryRepository.countFailure
-- planned once
with pending as (
  select id, attempts from webhook_delivery where id = $1 and status = 'PENDING' for no key update),
tried as (
  update webhook_delivery set attempts = webhook_delivery.attempts + 1,
    attempts_since_replay = attempts_since_replay + 1 from pending where webhook_delivery.id = pending.id
  returning attempts_since_replay),
logged as (insert into webhook_attempt (delivery_id, number, at, url, status, latency_ms, error, answer) select id,
  attempts + 1, $2, $3, $4, $5, $6, $7 from pending)
select attempts_since_replay as "attemptsSinceReplay" from tried;

-- DeliveryRepository.delete
delete from webhook_delivery where id = $1;

-- DeliveryRepository.deleteOthers
delete from webhook_delivery where message_id = any($1) and not is_forgotten;

-- DeliveryRepository.deliver
with write_1 as (insert into webhook_attempt (delivery_id, number, at, url, status, latency_ms, error,
  answer) select id,
  attempts + 1, $1, $2, $3, $4, $5, $6 from webhook_delivery
  where id = $7 and status = 'PENDING' and not is_forgotten),
    write_2 as (update webhook_delivery set attempts = webhook_delivery.attempts + 1,
      attempts_since_replay = attempts_since_replay + 1, status = $8, last_error = $9, next_attempt_at = null,
      ended_at = $10
  where id = $11 and status = 'PENDING' and not is_forgotten),
    write_3 as (delete from webhook_delivery where id = $12 and status = 'PENDING'
      and is_forgotten) update webhook_delivery
    set status = $13, last_error = $14, next_attempt_at = null, ended_at = $15 where id = $16 and status = 'PENDING'
returning id as "id", project_id as "projectId", subscription_id as "subscriptionId", message_id as "messageId",
  event as "event", is_forgotten as "isForgotten";

-- DeliveryRepository.fail
update webhook_delivery set status = $1, last_error = $2, next_attempt_at = null, ended_at = $3 where id = $4
  and status = 'PENDING'
returning id as "id", project_id as "projectId", subscription_id as "subscriptionId", message_id as "messageId",
  event as "event", is_forgotten as "isForgotten";

-- DeliveryRepository.forgetPending
update webhook_delivery set is_forgotten = true where message_id = any($1) and status = 'PENDING';

-- DeliveryRepository.lock
select id as "id", project_id as "projectId", subscription_id as "subscriptionId", message_id as "messageId",
  event_id as "eventId", event as "event", status as "status", attempts as "attemptCount",
  attempts_since_replay as "attemptsSinceReplay", next_attempt_at as "nextAttemptAt", last_error as "lastError",
  created_at as "createdAt", ended_at as "endedAt", is_forgotten as "isForgotten" from webhook_delivery
  where id = $1 for update;

-- DeliveryRepository.lockSomeFailed
select id as "id", project_id as "projectId", subscription_id as "subscriptionId", message_id as "messageId",
  event_id as "eventId", event as "event", status as "status", attempts as "attemptCount",
  attempts_since_replay as "attemptsSinceReplay", next_attempt_at as "nextAttemptAt", last_error as "lastError",
  created_at as "createdAt", ended_at as "endedAt", is_forgotten as "isForgotten" from webhook_delivery
  where subscription_id = $1 and status = 'FAILED' and ended_at between $2 and $3
order by ended_at, id limit $4 for update skip locked;

-- DeliveryRepository.ofMessage
-- planned once
select id as "id", project_id as "projectId", subscription_id as "subscriptionId", message_id as "messageId",
  event_id as "eventId", event as "event", status as "status", attempts as "attemptCount",
  attempts_since_replay as "attemptsSinceReplay", next_attempt_at as "nextAttemptAt", last_error as "lastError",
  created_at as "createdAt", ended_at as "endedAt", is_forgotten as "isForgotten" from webhook_delivery
  where message_id = $1
order by id limit $2;

-- DeliveryRepository.ofSubscription (all filters, a later page)
select id as "id", project_id as "projectId", subscription_id as "subscriptionId", message_id as "messageId",
  event_id as "eventId", event as "event", status as "status", attempts as "attemptCount",
  attempts_since_replay as "attemptsSinceReplay", next_attempt_at as "nextAttemptAt", last_error as "lastError",
  created_at as "createdAt", ended_at as "endedAt", is_forgotten as "isForgotten" from webhook_delivery
where subscription_id = $1 and status = $2 and event = $3 and id > $4 order by id asc limit $5;

-- DeliveryRepository.ofSubscription (all)
select id as "id", project_id as "projectId", subscription_id as "subscriptionId", message_id as "messageId",
  event_id as "eventId", event as "event", status as "status", attempts as "attemptCount",
  attempts_since_replay as "attemptsSinceReplay", next_attempt_at as "nextAttemptAt", last_error as "lastError",
  created_at as "createdAt", ended_at as "endedAt", is_forgotten as "isForgotten" from webhook_delivery
where subscription_id = $1 order by id desc limit $2;

-- DeliveryRepository.reopen
update webhook_delivery set status = 'PENDING', attempts_since_replay = 0, ended_at = null, last_error = null,
next_attempt_at = $1 where id = $2;

-- DeliveryRepository.toSend
-- planned once
select d.id as "id", d.project_id as "projectId", d.subscription_id as "subscriptionId", d.message_id as "messageId",
  d.event_id as "eventId", d.event as "event", d.status as "status", d.attempts as "attemptCount",
  d.attempts_since_replay as "attemptsSinceReplay", d.next_attempt_at as "nextAttemptAt", d.last_error as "lastError",
  d.created_at as "createdAt", d.ended_at as "endedAt", d.is_forgotten as "isForgotten", d.body,
  s.callback_url as "callbackUrl", s.secret_sealed as "secretSealed",
    s.previous_secret_sealed as "previousSecretSealed",
  s.previous_secret_until as "previousSecretUntil", s.failures as "failures", s.proved_at as "provedAt",
s.status as "receiverStatus"
from webhook_delivery d left join webhook_subscription s on s.id = d.subscription_id
where d.id = $1;

-- DeliveryRepository.wait
update webhook_delivery set next_attempt_at = $1, last_error = $2 where id = $3;

-- DeliveryRepository.withBody
-- planned once
select id as "id", project_id as "projectId", subscription_id as "subscriptionId", message_id as "messageId",
  event_id as "eventId", event as "event", status as "status", attempts as "attemptCount",
  attempts_since_replay as "attemptsSinceReplay", next_attempt_at as "nextAttemptAt", last_error as "lastError",
  created_at as "createdAt", ended_at as "endedAt", is_forgotten as "isForgotten", body from webhook_delivery
  where id = $1;

-- MessageRepository.add
-- planned once
insert into webhook_message (id, project_id, subscription_id, run_id, session_id, session_key, metadata, status,
  error_code, error_message, created_at, finished_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);

-- MessageRepository.byId
-- planned once
select id as "id", project_id as "projectId", subscription_id as "subscriptionId", run_id as "runId",
  session_id as "sessionId", session_key as "sessionKey", metadata as "metadata",
  case when finished_at is not null then status else coalesce((
    select case state when 'running' then 'processing' when 'suspended' then 'suspended' end
    from run where run.id = run_id), 'accepted') end as "status", error_code as "errorCode",
      error_message as "errorMessage", created_at as "createdAt", finished_at as "finishedAt" from webhook_message
      where id = $1;

-- MessageRepository.deleteOfSession
delete from webhook_message where session_id = $1 returning id;

-- MessageRepository.end
-- planned once
update webhook_message set status = $1, error_code = $2,
error_message = $3, finished_at = $4
where id = $5 and finished_at is null returning id as "id", project_id as "projectId",
  subscription_id as "subscriptionId", run_id as "runId", session_id as "sessionId", session_key as "sessionKey",
  metadata as "metadata", case when finished_at is not null then status else coalesce((
    select case state when 'running' then 'processing' when 'suspended' then 'suspended' end
    from run where run.id = run_id), 'accepted') end as "status", error_code as "errorCode",
      error_message as "errorMessage", created_at as "createdAt", finished_at as "finishedAt",
      (select events from webhook_subscription where id = webhook_message.subscription_id) as "receiverEvents",
(select proved_at from webhook_subscription where id = webhook_message.subscription_id) as "receiverProvedAt";

-- MessageRepository.inProject
-- planned once
select id as "id", project_id as "projectId", subscription_id as "subscriptionId", run_id as "runId",
  session_id as "sessionId", session_key as "sessionKey", metadata as "metadata",
  case when finished_at is not null then status else coalesce((
    select case state when 'running' then 'processing' when 'suspended' then 'suspended' end
    from run where run.id = run_id), 'accepted') end as "status", error_code as "errorCode",
      error_message as "errorMessage", created_at as "createdAt", finished_at as "finishedAt" from webhook_message
      where id = $1 and project_id = $2;

-- MessageRepository.underWay
-- planned once
select id as "id", project_id as "projectId", subscription_id as "subscriptionId", run_id as "runId",
  session_id as "sessionId", session_key as "sessionKey", metadata as "metadata",
  case when finished_at is not null then status else coalesce((
    select case state when 'running' then 'processing' when 'suspended' then 'suspended' end
    from run where run.id = run_id), 'accepted') end as "status", error_code as "errorCode",
      error_message as "errorMessage", created_at as "createdAt", finished_at as "finishedAt",
      (select events from webhook_subscription where id = webhook_message.subscription_id) as "receiverEvents",
(select proved_at from webhook_subscription where id = webhook_message.subscription_id) as "receiverProvedAt"
  from webhook_message where id = $1 and finished_at is null;

-- SubscriptionRepository.countByState
select (count(*) filter (where status = 'ACTIVE' and (paused_until is null or paused_until < now())))::int as active,
(count(*) filter (where status = 'ACTIVE' and paused_until >= now()))::int as paused,
(count(*) filter (where status <> 'ACTIVE'))::int as disabled
from webhook_subscription;

-- SubscriptionRepository.noteFailure
update webhook_subscription set failures = failures + 1, proved_at = null,
failing_since = coalesce(failing_since, $1),
paused_until = case when failures + 1 >= $2 then now() + make_interval(
  secs => least(power(2, least(failures + 1 - $3, 10)), $4)) end
where id = $5 returning failing_since as "failingSince";

-- SubscriptionRepository.noteSuccess
-- planned once
update webhook_subscription set failures = 0, failing_since = null, paused_until = null,
proved_at = coalesce(proved_at, $1) where id = $2;

-- SubscriptionRepository.probe
-- planned once
with probe as (
  update webhook_subscription set paused_until = now() + make_interval(secs => $1)
  where id = $2 and (paused_until is null or paused_until <= now()) returning id)
select exists (select from probe) as "isProbe",
least(paused_until, now() + make_interval(secs => $3)) as "lookAgainAt"
from webhook_subscription where id = $4;

-- SubscriptionRepository.row
-- planned once
select id as "id", project_id as "projectId", app_id as "appId", environment as "environment",
  display_name as "displayName", callback_url as "callbackUrl", events as "events", status as "status",
  disabled_reason as "disabledReason", disabled_at as "disabledAt", secret_sealed as "secretSealed",
  previous_secret_sealed as "previousSecretSealed", previous_secret_until as "previousSecretUntil",
  failures as "failures", failing_since as "failingSince", paused_until as "pausedUntil", proved_at as "provedAt",
  created_at as "createdAt", modified_at as "modifiedAt" from webhook_subscription where id = $1;

-- SubscriptionRepository.rowInProject
-- planned once
select id as "id", project_id as "projectId", app_id as "appId", environment as "environment",
  display_name as "displayName", callback_url as "callbackUrl", events as "events", status as "status",
  disabled_reason as "disabledReason", disabled_at as "disabledAt", secret_sealed as "secretSealed",
  previous_secret_sealed as "previousSecretSealed", previous_secret_until as "previousSecretUntil",
  failures as "failures", failing_since as "failingSince", paused_until as "pausedUntil", proved_at as "provedAt",
  created_at as "createdAt", modified_at as "modifiedAt" from webhook_subscription where id = $1 and project_id = $2;
