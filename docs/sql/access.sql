-- Made from the code by `npm run docs`; changes here are lost.

-- AdminKeyRepository.byDigest
select id as "id", name as "name", digest as "digest", role as "role", project_id as "projectId",
  revoked_at as "revokedAt", created_at as "createdAt" from admin_key where digest = $1 and revoked_at is null;

-- AdminKeyRepository.deleteRevoked
-- takes the lock 'key'
delete from admin_key where id = $1 and revoked_at is not null;

-- AdminKeyRepository.lockForChange
-- takes the lock 'key'
select from admin_key where id = $1 for no key update;

-- AdminKeyRepository.lockForUse
-- planned once, takes the lock 'key'
select 1 from admin_key where id = $1 and revoked_at is null for key share;

-- ApiKeyRepository.byValue
-- planned once
select k.id as "id", k.scope_id as "scopeId", k.name as "name", k.expires_at as "expiresAt",
  k.revoked_at as "revokedAt",
v.valid_until as "validUntil",
s.app_id as "appId", s.granted as "granted", s.ceiling as "ceiling",
a.project_id as "projectId"
from api_key_value v join api_key k on k.id = v.key_id
join scope s on s.id = k.scope_id join app a on a.id = s.app_id
where v.digest = $1 and (v.valid_until is null or v.valid_until > $2);

-- ApiKeyRepository.deleteRevoked
-- takes the lock 'key'
delete from api_key where id = $1 and revoked_at is not null;

-- ApiKeyRepository.lockForChange
-- takes the lock 'key'
select 1 from api_key where id = $1 for no key update;

-- ApiKeyRepository.lockForUse
-- planned once, takes the lock 'key'
select least(k.expires_at, v.valid_until) <= $1 as "hasEnded",
s.granted as "granted", s.ceiling as "ceiling"
from api_key k join scope s on s.id = k.scope_id
left join api_key_value v on v.key_id = k.id and v.digest = $2
where k.id = $3 and k.revoked_at is null for key share of k;

-- ApiKeyRepository.noteUse
insert into api_key_use (key_id, last_used_at) select id, $1
from api_key where id = $2
on conflict (key_id) do update set last_used_at = excluded.last_used_at
where api_key_use.last_used_at < excluded.last_used_at - interval '59 seconds';

-- ApiKeyRepository.stillValid
select id from api_key where id = any($1) and (revoked_at is null) is true
union all select id from admin_key where id = any($1) and (revoked_at is null) is true
union all select id from console_session where id = any($1) and (revoked_at is null) is true;

-- ConsoleSessionRepository.byDigest
-- planned once
select s.id, s.admin_key_id as "adminKeyId", coalesce(s.person_name, k.name) as name,
s.identity, s.subject, s.person_role as "personRole", s.person_project_roles as "personProjectRoles",
k.role as "keyRole", k.project_id as "keyProjectId", s.settings_key_digest as "basisDigest"
from console_session s left join admin_key k on k.id = s.admin_key_id and k.revoked_at is null
where s.digest = $1 and s.revoked_at is null and s.expires_at > $2
and (s.admin_key_id is null or k.id is not null);

-- ConsoleSessionRepository.deleteRevoked
-- takes the lock 'key'
delete from console_session where id = $1 and revoked_at is not null;

-- ConsoleSessionRepository.lockForUse
-- planned once, takes the lock 'key'
select 1 from console_session
where id = $1 and revoked_at is null and expires_at > $2 for key share;
