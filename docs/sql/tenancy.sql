-- Made from the code by `npm run docs`; changes here are lost.

-- AppRepository.environmentRef
-- planned once
select a.project_id as "projectId", a.id as "appId", e.name as environment, e.id as "envId"
from app a left join environment e on e.app_id = a.id and e.name = $1
where a.id = $2;

-- AppRepository.lock
select from app where id = $1 for no key update;

-- ProjectRepository.lock
select from project where id = $1 for no key update;
