-- Made from the code by `npm run docs`; changes here are lost.

-- ConnectionRepository.namesOf
select id as "id", name as "name" from connection
where project_id = $1 and id = any($2::text[]);

-- ConnectionRepository.newestNamed
-- planned once
select id as "id", project_id as "projectId", name as "name", provider as "provider", model as "model",
  model_type as "modelType", status as "status", fields_json as "fieldsJson", secrets_sealed as "secretsSealed",
  created_at as "createdAt", modified_at as "modifiedAt" from connection
where project_id = $1 and (name = $2 or model = $3)
order by status = 'ACTIVE' desc, id desc limit 1;

-- ConnectionRepository.rowInProject
-- planned once
select id as "id", project_id as "projectId", name as "name", provider as "provider", model as "model",
  model_type as "modelType", status as "status", fields_json as "fieldsJson", secrets_sealed as "secretsSealed",
  created_at as "createdAt", modified_at as "modifiedAt" from connection where id = $1 and project_id = $2;

-- ConnectionRepository.unreadable
select id as "id", name as "name" from connection
where project_id = $1
  and (substring(left(secrets_sealed, 12) from '^v1\.([1-9]\d{0,5})\.')::integer = any($2::integer[])) is not true
order by id limit $3;
