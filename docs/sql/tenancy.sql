-- Made from the code by `npm run docs`; changes here are lost.

-- AppRepository.lock
select from app where id = $1 for no key update;

-- EnvironmentRepository.lock
select from environment where id = $1 for no key update;

-- EnvironmentRepository.ref
-- planned once
select a.project_id as "projectId", a.id as "appId", e.name as environment, e.id as "envId"
from app a left join environment e on e.app_id = a.id and e.name = $1
where a.id = $2;

-- ProjectRepository.lock
select from project where id = $1 for no key update;
