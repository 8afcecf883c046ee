import { createHmac, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';

/**
 * The floor of `bench/sessions.mjs`: a session made and sessions listed by hand, with node:http and pg and nothing else.
 * The same rows, the same locks, the same commits: key read and held, environment found, user and session inserted.
 */

const { DATABASE_URL, SLIPWAY_PEPPER = '', APP_ID = '', PROJECT_ID = '' } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 20 });

/**
 * @param {pg.Pool | pg.PoolClient} on
 * @param {string} name
 * @param {string} text
 * @param {unknown[]} values
 * @returns {Promise<Record<string, unknown>[]>}
 */
async function ask(on, name, text, values) {
  /** @type {pg.QueryResult<Record<string, unknown>>} */
  const { rows } = await on.query({ name, text, values });
  return rows;
}

/** @param {string} key */
async function findKey(key) {
  const digest = createHmac('sha256', SLIPWAY_PEPPER).update(key).digest('base64url');
  const [found] = await ask(
    pool,
    'key',
    `select k.id, s.granted, s.app_id from api_key_value v join api_key k on k.id = v.key_id
     join scope s on s.id = k.scope_id where v.digest = $1 and k.revoked_at is null`,
    [digest],
  );
  if (!found) throw new Error('No such key');
  return found.id;
}

/**
 * @param {unknown} keyId
 * @param {{ sessionIdentity: { value: string }[] }} wish
 */
async function create(keyId, { sessionIdentity: [entry] }) {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await ask(client, 'hold', 'select 1 from api_key where id = $1 and revoked_at is null for key share', [keyId]);
    const [place] = await ask(client, 'env', `select id from environment where app_id = $1 and name = 'production'`, [
      APP_ID,
    ]);
    await ask(
      client,
      'active',
      'select version_id from agent_activation where environment_id = $1 and ended_at is null',
      [place?.id],
    );
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
       select $5, $2, $3, 'production', $6, known.id, $4, 'AP', 'started', $7, now(), now() from known returning *`,
      [`u-${id()}`, PROJECT_ID, APP_ID, entry?.value, `s-${id()}`, place?.id, `r-${id()}`],
    );
    await client.query('commit');
    return { session, events: [], output: [] };
  } finally {
    client.release();
  }
}

/** @param {string} text */
function wishIn(text) {
  /** @type {unknown} */
  const wish = JSON.parse(text);
  return /** @type {{ sessionIdentity: { value: string }[] }} */ (wish);
}

async function list() {
  const window = `app_id = $1 and created_at >= now() - interval '24 hours' and created_at < now()`;
  const [[count], sessions] = await Promise.all([
    ask(pool, 'count', `select count(*)::int as total from session where ${window}`, [APP_ID]),
    ask(pool, 'page', `select * from session where ${window} order by created_at desc, id desc limit 100`, [APP_ID]),
  ]);
  return { sessions, total_count: count?.total };
}

const server = createServer((request, response) => {
  let text = '';
  request.on('data', (/** @type {Buffer} */ piece) => (text += piece.toString()));
  request.on('end', () => {
    void findKey(String(request.headers['x-api-key']))
      .then(async (keyId) => {
        /** @type {() => Promise<object>} */
        const work = request.url?.includes('/list') ? list : () => create(keyId, wishIn(text));
        return work();
      })
      .then((body) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)))
      .catch((error) => response.writeHead(500).end(String(error)));
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send?.({ type: 'ready', url: `http://127.0.0.1:${port}` });
});
process.once('disconnect', () => process.exit());
