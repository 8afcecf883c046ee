import { randomUUID } from 'node:crypto';
import express from 'express';
import { ask, findKey, isOver, isWithinLimit, newApp, pool, refuse, serve } from './by-hand.mjs';
import { sendTogether } from './packets.mjs';

/** @import { KeyRow } from './by-hand.mjs' */

/**
 * The floor of `bench/sessions.mjs`: sessions are made and listed by hand, with the same rows, locks and commits. The
 * key is locked, the environment is found with its active agent and the app's settings, and the user and the session
 * are inserted.
 */

const DEFAULT_CONFIG = { maxFileCount: 10, maxFileSize: 25, maxTokens: 100_000, isAttachmentsEnabled: true };

const app = newApp();
app.post('/api/v2/apps/:appId/environments/:environment/sessions', express.json(), async (request, response) => {
  const key = await admitted(request, response);
  if (!key) return;
  /** @type {unknown} */
  const body = request.body;
  const { sessionIdentity } = /** @type {{ sessionIdentity: { value: string }[] }} */ (body);
  response.status(201).json(await create(key, request.params.environment, sessionIdentity[0]?.value));
});
app.post('/api/public/apps/:appId/sessions/list', express.json(), async (request, response) => {
  const key = await admitted(request, response);
  if (key) response.json(await list(key.app_id));
});
serve(app);

/**
 * @param {import('express').Request<{ appId: string }>} request
 * @param {import('express').Response} response
 */
async function admitted(request, response) {
  const key = await findKey(request.get('x-api-key') ?? '');
  if (!key || key.app_id !== request.params.appId) return void refuse(response, 401, 'API_KEY_INVALID');
  if (isOver(key)) return void refuse(response, 401, 'API_KEY_EXPIRED');
  if (!(await isWithinLimit(response, key.key_id))) return void refuse(response, 429, 'RATE_LIMIT_EXCEEDED');
  return key;
}

/**
 * @param {KeyRow} key
 * @param {string} environment
 * @param {string | undefined} user
 */
async function create({ key_id: keyId, app_id: appId, project_id: projectId }, environment, user) {
  const client = await pool.connect();
  try {
    const [, , places] = await sendTogether(client, ['begin', lock(keyId), placeOf(appId, environment)]);
    const [place] = /** @type {Place[]} */ (places?.rows ?? []);
    const id = () => randomUUID().replaceAll('-', '').slice(0, 22);
    const [session] = await ask(
      client,
      'insert',
      `with known as (
         insert into app_user (id, project_id, app_id, reference, created_at, last_seen_at)
         values ($1, $2, $3, $4, now(), now())
         on conflict (app_id, reference) do update set last_seen_at = excluded.last_seen_at returning id)
       insert into session (id, project_id, app_id, environment, env_id, user_id, user_reference, source, status, run_id,
                            created_at, last_activity_at)
       select $5, $2, $3, $8, $6, known.id, $4, 'AP', 'started', $7, now(), now() from known returning *`,
      [`u-${id()}`, projectId, appId, user, `s-${id()}`, place?.id, `r-${id()}`, environment],
    );
    const { user_id: userId } = /** @type {{ user_id: string }} */ (session);
    const [profiles] = await sendTogether(client, [profilesOf(appId, userId), 'commit']);
    const output = [{ type: 'text', content: place?.welcome ?? 'Hello! How can I help you?' }];
    return { session, events: [], output, profiles: profiles?.rows, fileUploadConfig: place?.config ?? DEFAULT_CONFIG };
  } finally {
    client.release();
  }
}

/** @param {string} keyId */
function lock(keyId) {
  const text = 'select 1 from api_key where id = $1 and revoked_at is null for key share';
  return { name: 'lock', text, values: [keyId] };
}

/** @typedef {{ id: string, welcome: string | null, config: object | null }} Place */

/**
 * @param {string} appId
 * @param {string} environment
 */
function placeOf(appId, environment) {
  const text = `
    select e.id, v.welcome_message as welcome, to_json(c) as config
    from environment e left join session_settings c on c.app_id = e.app_id
    left join agent_activation a on a.environment_id = e.id and a.ended_at is null
    left join agent_version v on v.id = a.version_id where e.app_id = $1 and e.name = $2`;
  return { name: 'place', text, values: [appId, environment] };
}

/**
 * @param {string} appId
 * @param {string} userId
 */
function profilesOf(appId, userId) {
  const text = `
    select p.id, p.idp_name, p.sso_type, t.tokens_sealed, t.expires_at
    from auth_profile p left join user_token t on t.profile_id = p.id and t.user_id = $2 where p.app_id = $1`;
  return { name: 'profiles', text, values: [appId, userId] };
}

/** @param {string} appId */
async function list(appId) {
  const window = `app_id = $1 and created_at >= now() - interval '24 hours' and created_at < now()`;
  const [[count], sessions] = await Promise.all([
    /** @type {typeof ask<{ total: number }>} */ (ask)(
      pool,
      'count',
      `select count(*)::int as total from session where ${window}`,
      [appId],
    ),
    ask(pool, 'page', `select * from session where ${window} order by created_at desc, id desc limit 100`, [appId]),
  ]);
  return { sessions, total_count: count?.total };
}
