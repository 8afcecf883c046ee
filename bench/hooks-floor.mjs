import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import express from 'express';
import { Redis } from 'ioredis';
import pg from 'pg';
import { pino } from 'pino';
import { newState } from '../dist/src/modules/agent-assist/conversation-state.js';
import { NewEvents } from '../dist/src/modules/agent-assist/new-events.js';
import { holdConversation, writeEvents } from '../dist/src/modules/agent-assist/store.take.js';

/** @import { ConversationKey } from '../dist/src/modules/agent-assist/store.take.js' */

/**
 * The floor of `bench/hooks.mjs`: the hooks in Express 5 and nothing else. It writes the same rows, decided by the same
 * rules, in one transaction: one read of the client, the token's signature, one increment in Redis, the client held, the
 * conversation held, the rows, one line of log. It checks no body and keeps the secret in the clear.
 */
const { DATABASE_URL, REDIS_URL, DATABASE_POOL, CLIENT_SECRET = '' } = process.env;
const WINDOW_MS = 60_000;

const log = pino({ base: undefined, timestamp: pino.stdTimeFunctions.isoTime });
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(DATABASE_POOL) });
const redis = /** @type {Redis & { count: (key: string, windowMs: number) => Promise<[number, number]> }} */ (
  new Redis(REDIS_URL ?? '')
);
redis.defineCommand('count', {
  numberOfKeys: 1,
  lua: `local count = redis.call('incr', KEYS[1])
        if count == 1 then redis.call('pexpire', KEYS[1], ARGV[1]) end
        return {count, redis.call('pttl', KEYS[1])}`,
});

const FIND_CLIENT = {
  name: 'find-jwt-client',
  text: `select id, project_id, algorithm, require_exp, enforce_jti from jwt_client where id = $1`,
};

const app = express();
app.disable('x-powered-by').disable('etag');
app.post('/agentassist/api/v1/hooks/:botId', express.json(), async (request, response) => {
  const begun = performance.now();
  const requestId = `tr-${randomUUID()}`;
  response.setHeader('x-request-id', requestId);
  response.once('close', () =>
    log.info(
      {
        requestId,
        method: 'POST',
        path: request.path,
        status: response.statusCode,
        durationMs: performance.now() - begun,
      },
      'request',
    ),
  );
  const clientId = clientOf(request.get('token') ?? '');
  if (clientId === undefined) return response.status(401).json({ code: 401, message: 'No such token' });
  const query = { ...FIND_CLIENT, values: [clientId] };
  const { rows } = /** @type {pg.QueryResult<{ project_id: string }>} */ (await pool.query(query));
  const [client] = rows;
  if (!client) return response.status(401).json({ code: 401, message: 'No such client' });
  const [count] = await redis.count(`floor:${clientId}`, WINDOW_MS);
  response.setHeader('RateLimit', `"default";r=${1_000_000_000 - count}`);

  /** @type {unknown} */
  const call = request.body;
  const { conversationId } = /** @type {{ conversationId: string }} */ (call);
  const key = /** @type {ConversationKey} */ ({ botId: request.params.botId, conversationId });
  await take(clientId, client.project_id, key, call);
  return response.json({ STATUS: 'OK' });
});

const server = app.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send?.({ type: 'ready', url: `http://127.0.0.1:${port}` });
});
server.keepAliveTimeout = 65_000;
process.once('disconnect', () => process.exit());

/**
 * @param {string} clientId
 * @param {string} projectId
 * @param {ConversationKey} key
 * @param {unknown} call
 */
async function take(clientId, projectId, key, call) {
  const at = new Date();
  const connection = await pool.connect();
  try {
    await connection.query('begin');
    await connection.query('select 1 from jwt_client where id = $1 for key share', [clientId]);
    const query = holdConversation(projectId, key, at).toQuery();
    const { rows } = /** @type {pg.QueryResult<{ state: string, last_seq: number, strict: boolean }>} */ (
      await connection.query(query)
    );
    const held = rows[0];
    if (!held) throw new Error('There is no such bot');
    const state = held.state === '' ? newState() : /** @type {ReturnType<typeof newState>} */ (JSON.parse(held.state));
    const settings = { at, lastSeq: held.last_seq, isStrict: held.strict };
    const events = new NewEvents(state, /** @type {never} */ (call), settings);
    await connection.query(writeEvents(key, state.status, JSON.stringify(state), events, at).toQuery());
    await connection.query('commit');
  } finally {
    connection.release();
  }
}

/** @param {string} token */
function clientOf(token) {
  const [header = '', claims = '', signature = ''] = token.split('.');
  const expected = createHmac('sha256', CLIENT_SECRET).update(`${header}.${claims}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  /** @type {unknown} */
  const read = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const { appId } = /** @type {{ appId: string }} */ (read);
  return appId;
}
