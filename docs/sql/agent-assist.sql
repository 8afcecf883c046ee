-- Made from the code by `npm run docs`; changes here are lost.

-- ConversationEventRepository.agentsBefore
select agent_name as name from assist_event
where bot_id = $1 and conversation_id = $2 and kind = 'entry' and seq < $3
group by agent_identity, agent_name order by min(seq) limit $4;

-- ConversationEventRepository.entries (the first page)
-- planned once
select bot_id as "botId", conversation_id as "conversationId", seq as "seq", kind as "kind", at as "at",
  agent_identity as "agentIdentity", agent_name as "agentName", transfer_type as "transferType", author as "author",
  said as "said", is_sent as "isSent", language as "language", active as "active", left_at as "leftAt",
  violations as "violations", repeats as "repeats", payload as "payload", call as "call", proposal as "proposal"
  from assist_event
where bot_id = $1 and conversation_id = $2 and kind = 'entry' order by seq asc limit $3;

-- ConversationEventRepository.keepProposal
update assist_event e set proposal = $1
from assist_bot b
where b.id = e.bot_id and e.bot_id = $2 and e.conversation_id = $3 and e.seq = $4
and e.proposal is null
returning e.bot_id as "botId", e.conversation_id as "conversationId", e.seq as "seq", e.kind as "kind", e.at as "at",
  e.agent_identity as "agentIdentity", e.agent_name as "agentName", e.transfer_type as "transferType",
  e.author as "author", e.said as "said", e.is_sent as "isSent", e.language as "language", e.active as "active",
  e.left_at as "leftAt", e.violations as "violations", e.repeats as "repeats", e.payload as "payload", e.call as "call",
  e.proposal as "proposal", b.id as "id", b.project_id as "projectId", b.name as "name",
  b.connection_id as "connectionId", b.agent_id as "agentId", b.subscription_id as "subscriptionId",
    b.strict as "strict",
  b.created_at as "createdAt";

-- ConversationEventRepository.messages (a later page, backwards)
-- planned once
select bot_id as "botId", conversation_id as "conversationId", seq as "seq", kind as "kind", at as "at",
  agent_identity as "agentIdentity", agent_name as "agentName", transfer_type as "transferType", author as "author",
  said as "said", is_sent as "isSent", language as "language", active as "active", left_at as "leftAt",
  violations as "violations", repeats as "repeats", payload as "payload", call as "call", proposal as "proposal"
  from assist_event
where bot_id = $1 and conversation_id = $2 and kind = 'message' and seq < $3 order by seq desc limit $4;

-- ConversationEventRepository.messagesBefore
select author, said, at from (
  (select seq, author, said, at from assist_event
    where bot_id = $1 and conversation_id = $2 and kind = 'message' and seq < $3 and is_sent
    order by seq limit $4) union
  (select seq, author, said, at from assist_event
    where bot_id = $5 and conversation_id = $6 and kind = 'message' and seq < $7 and is_sent
    order by seq desc limit $8)) m order by m.seq;

-- ConversationEventRepository.timeline (the first page)
-- planned once
select bot_id as "botId", conversation_id as "conversationId", seq as "seq", kind as "kind", at as "at",
  agent_identity as "agentIdentity", agent_name as "agentName", transfer_type as "transferType", author as "author",
  said as "said", is_sent as "isSent", language as "language", active as "active", left_at as "leftAt",
  violations as "violations", repeats as "repeats", payload as "payload", call as "call", proposal as "proposal"
  from assist_event
where bot_id = $1 and conversation_id = $2 and true order by seq asc limit $3;

-- ConversationEventRepository.toAnswer
select e.bot_id as "botId", e.conversation_id as "conversationId", e.seq as "seq", e.kind as "kind", e.at as "at",
  e.agent_identity as "agentIdentity", e.agent_name as "agentName", e.transfer_type as "transferType",
  e.author as "author", e.said as "said", e.is_sent as "isSent", e.language as "language", e.active as "active",
  e.left_at as "leftAt", e.violations as "violations", e.repeats as "repeats", e.payload as "payload", e.call as "call",
  e.proposal as "proposal", b.id as "id", b.project_id as "projectId", b.name as "name",
  b.connection_id as "connectionId", b.agent_id as "agentId", b.subscription_id as "subscriptionId",
    b.strict as "strict",
  b.created_at as "createdAt"
from assist_event e join assist_bot b on b.id = e.bot_id
where e.bot_id = $1 and e.conversation_id = $2 and e.seq = $3 and e.proposal is null
and b.agent_id is not null;

-- ConversationEventRepository.violations
-- planned once
select bot_id as "botId", conversation_id as "conversationId", seq as "seq", kind as "kind", at as "at",
  agent_identity as "agentIdentity", agent_name as "agentName", transfer_type as "transferType", author as "author",
  said as "said", is_sent as "isSent", language as "language", active as "active", left_at as "leftAt",
  violations as "violations", repeats as "repeats", payload as "payload", call as "call", proposal as "proposal"
  from assist_event
where bot_id = $1 and conversation_id = $2 and violations <> '{}' order by seq asc limit $3;

-- ConversationRepository.applyEvents
-- planned once
with kept as (insert into assist_event (bot_id, conversation_id, seq, kind, at, agent_identity, agent_name,
  transfer_type, author, said, is_sent, language, active, left_at, violations, repeats, payload, call,
  proposal) select "botId",
  "conversationId", "seq", "kind", "at", "agentIdentity", "agentName", "transferType", "author", "said", "isSent",
  "language", "active", "leftAt", "violations", "repeats", "payload", "call", "proposal"
  from json_to_recordset($1::json) as given ("botId" text, "conversationId" text, "seq" integer, "kind" text,
    "at" timestamptz, "agentIdentity" text, "agentName" text, "transferType" text, "author" text, "said" text,
    "isSent" boolean, "language" text, "active" text[], "leftAt" timestamptz, "violations" text[], "repeats" integer,
    "payload" text, "call" text, "proposal" text)),
repeated as (
  update assist_event e set repeats = e.repeats + r.times
  from (select seq, count(*)::integer as times from unnest($2::integer[]) as one (seq) group by seq) r
  where e.bot_id = $3 and e.conversation_id = $4 and e.seq = r.seq
  and e.seq <> all($5::integer[])),
gone as (
  update assist_event e set left_at = $6::timestamptz, repeats = e.repeats + coalesce(
    (select count(*) from unnest($2::integer[]) as one (seq) where one.seq = e.seq), 0)
  where e.bot_id = $7 and e.conversation_id = $8 and e.seq = any($5::integer[])),
asked as (insert into assist_summary (bot_id, conversation_id, seq, language, locale, type, status, made_by, text,
  asked_at, made_at) select "botId",
  "conversationId", "seq", "language", "locale", "type", "status", "madeBy", "text", "askedAt", "madeAt"
  from json_to_recordset($9::json) as given ("botId" text, "conversationId" text, "seq" integer, "language" text,
    "locale" text, "type" text, "status" text, "madeBy" text, "text" text, "askedAt" timestamptz, "madeAt" timestamptz))
update assist_conversation
set status = $10, state = $11, last_seq = $12, messages = messages + $13::integer,
repeats = repeats + $14::integer, violations = violations + $15::integer,
ended_at = case when $16::boolean then $17::timestamptz else ended_at end
where bot_id = $18 and id = $19;

-- ConversationRepository.byKey
-- planned once
select bot_id as "botId", id as "id", project_id as "projectId", status as "status", state as "state",
  last_seq as "lastSeq", messages as "messages", repeats as "repeats", violations as "violations",
  started_at as "startedAt", last_at as "lastAt", ended_at as "endedAt", active_on as "activeOn"
    from assist_conversation
where bot_id = $1 and id = $2;

-- ConversationRepository.delete
delete from assist_conversation where bot_id = $1 and id = $2 returning id;

-- ConversationRepository.deleteSome
delete from assist_conversation where bot_id = $1 and id = any(array(
    select id from assist_conversation where bot_id = $2 limit $3)) returning id;

-- ConversationRepository.listed (all filters, a later page)
select c.bot_id as "botId", c.id as "id", c.project_id as "projectId", c.status as "status", c.state as "state",
  c.last_seq as "lastSeq", c.messages as "messages", c.repeats as "repeats", c.violations as "violations",
  c.started_at as "startedAt", c.last_at as "lastAt", c.ended_at as "endedAt", c.active_on as "activeOn"
  from assist_conversation c where c.bot_id = $1 and c.status = $2 and c.started_at >= $3::timestamptz
  and c.started_at < $4::timestamptz and (c.violations > 0) = $5::boolean and c.id in (
  select conversation_id from assist_event
  where bot_id = $6 and kind = 'entry' and agent_identity = $7) and c.id in (
  select conversation_id from assist_event
  where bot_id = $8 and to_tsvector('simple', said) @@ websearch_to_tsquery('simple', $9))
and (started_at, id) < ($10::timestamptz, $11) order by started_at desc, id desc limit $12;

-- ConversationRepository.listed (all)
select c.bot_id as "botId", c.id as "id", c.project_id as "projectId", c.status as "status", c.state as "state",
  c.last_seq as "lastSeq", c.messages as "messages", c.repeats as "repeats", c.violations as "violations",
  c.started_at as "startedAt", c.last_at as "lastAt", c.ended_at as "endedAt", c.active_on as "activeOn"
  from assist_conversation c where c.bot_id = $1
order by started_at desc, id desc limit $2;

-- ConversationRepository.lockOrInsert
-- planned once
with bot as (
  select id, strict, agent_id from assist_bot where id = $1 and project_id = $2 for key share)
insert into assist_conversation as c (bot_id, id, project_id, status, state, last_seq, messages, repeats, violations,
  started_at, last_at, active_on) select bot.id,
  $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, date_trunc('day', $13::timestamptz, 'UTC') from bot
on conflict (bot_id, id) do update
set last_at = greatest(c.last_at, excluded.last_at), active_on = greatest(c.active_on, excluded.active_on)
returning c.state as "state", c.last_seq as "lastSeq",
(select strict from bot) as strict, (select agent_id from bot) as "agentId";

-- JwtClientRepository.lockForUse
-- planned once, takes the lock 'key'
select 1 from jwt_client where id = $1 for key share;

-- JwtClientRepository.rowOf
-- planned once
select id as "id", project_id as "projectId", name as "name", algorithm as "algorithm", key_hint as "keyHint",
  key_sealed as "keySealed", previous_key_sealed as "previousKeySealed", previous_until as "previousUntil",
  require_exp as "requireExp", enforce_jti as "enforceJti", created_at as "createdAt" from jwt_client where id = $1;

-- JwtClientRepository.useToken
-- planned once
insert into used_token (client_id, digest, usable_until) values ($1, $2, $3)
on conflict do nothing returning client_id;

-- SummaryRepository.keep
update assist_summary set status = 'ready', text = $1, made_by = $2, made_at = $3::timestamptz
where bot_id = $4 and conversation_id = $5 and seq = $6 and status = 'pending';

-- SummaryRepository.lock
select from assist_summary where bot_id = $1 and conversation_id = $2 and seq = $3
for no key update;

-- SummaryRepository.newest
-- planned once
select bot_id as "botId", conversation_id as "conversationId", seq as "seq", language as "language", locale as "locale",
  type as "type", status as "status", made_by as "madeBy", text as "text", asked_at as "askedAt", made_at as "madeAt"
  from assist_summary
where bot_id = $1 and conversation_id = $2 order by seq desc limit $3;

-- SummaryRepository.pending
select s.bot_id as "botId", s.conversation_id as "conversationId", s.seq as "seq", s.language as "language",
  s.locale as "locale", s.type as "type", s.status as "status", s.made_by as "madeBy", s.text as "text",
  s.asked_at as "askedAt", s.made_at as "madeAt", b.id as "id", b.project_id as "projectId", b.name as "name",
  b.connection_id as "connectionId", b.agent_id as "agentId", b.subscription_id as "subscriptionId",
    b.strict as "strict",
  b.created_at as "createdAt"
from assist_summary s join assist_bot b on b.id = s.bot_id
where s.bot_id = $1 and s.conversation_id = $2 and s.seq = $3 and s.status = 'pending';
