import { createHmac, randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import express from 'express';
import { Redis } from 'ioredis';
import pg from 'pg';
import { pino } from 'pino';

/**
 * The floor of `bench/http.mjs`: GET /api/public/me in Express 5 and nothing else, everything by hand and nothing
 * twice. It gives the same answer to the last header for the same work: the key's checksum and digest, one read of the
 * key, the permission, one increment in Redis that expires with its window, one line of log.
 */

/**
 * @typedef {object} KeyRow
 * @property {string} key_id
 * @property {string} key_name
 * @property {Date | null} expires_at
 * @property {Date | null} revoked_at
 * @property {Date | null} valid_until
 * @property {string} scope_id
 * @property {string[]} granted
 * @property {string[] | null} ceiling
 * @property {string} app_id
 * @property {string} project_id
 */

const { DATABASE_URL, REDIS_URL, DATABASE_POOL, SLIPWAY_PEPPER = '', RATE_LIMIT_DEFAULT } = process.env;
const LIMIT = Number(RATE_LIMIT_DEFAULT);
const WINDOW_MS = 60_000;
/** @type {unknown} */
const permissionsModule = await import(new URL('../dist/src/kernel/permissions.js', import.meta.url).href);
const { PERMISSIONS } = /** @type {typeof import('../src/kernel/permissions.js')} */ (permissionsModule);
const NAMES = Object.keys(PERMISSIONS);
/** @type {Record<string, { allows: string, implies?: string }>} */
const RULES = PERMISSIONS;

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_LENGTH = 52;
const CHECKSUM_AT = 46;

const FIND_KEY = {
  name: 'find-key',
  text: `select k.id as key_id, k.name as key_name, k.expires_at, k.revoked_at, v.valid_until,
                s.id as scope_id, s.granted, s.ceiling, s.app_id, a.project_id
         from api_key_value v join api_key k on k.id = v.key_id
         join scope s on s.id = k.scope_id join app a on a.id = s.app_id
         where v.digest = $1`,
};

const SECURITY_HEADERS = new Map([
  ['Content-Security-Policy', "default-src 'none';frame-ancestors 'none'"],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Origin-Agent-Cluster', '?1'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-DNS-Prefetch-Control', 'off'],
  ['X-Download-Options', 'noopen'],
  ['X-Frame-Options', 'SAMEORIGIN'],
  ['X-Permitted-Cross-Domain-Policies', 'none'],
  ['X-XSS-Protection', '0'],
]);

const log = pino({
  base: undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
});
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

const app = express();
app.disable('x-powered-by').disable('etag');
app.get('/api/public/me', async (request, response) => {
  const begun = performance.now();
  const requestId = `tr-${randomUUID()}`;
  response.setHeader('x-request-id', requestId);
  response.setHeaders(SECURITY_HEADERS);
  let actor = '';
  response.once('close', () =>
    log.info(
      {
        requestId,
        actor,
        method: request.method,
        path: request.path,
        status: response.statusCode,
        durationMs: Math.round((performance.now() - begun) * 10) / 10,
      },
      'request',
    ),
  );

  const value = request.get('x-api-key') ?? '';
  if (!isKeyValue(value)) return refuse(response, 401, 'API_KEY_INVALID', requestId);
  const digest = createHmac('sha256', SLIPWAY_PEPPER).update(value).digest('base64url');
  const { rows } = /** @type {pg.QueryResult<KeyRow>} */ (await pool.query({ ...FIND_KEY, values: [digest] }));
  const [key] = rows;
  if (!key || key.revoked_at) return refuse(response, 401, 'API_KEY_INVALID', requestId);
  if (isPast(key.expires_at) || isPast(key.valid_until)) return refuse(response, 401, 'API_KEY_EXPIRED', requestId);
  actor = key.key_id;

  const granted = new Set(key.granted);
  const isChannelOnly = granted.size === 1 && granted.has('HTTP_ASYNC_SEND');
  if (isChannelOnly) return refuse(response, 403, 'PERMISSION_DENIED', requestId);

  const [count, leftMs] = await redis.count(`floor:${actor}`, WINDOW_MS);
  response.setHeader('RateLimit-Policy', `"default";q=${LIMIT};w=60`);
  response.setHeader('RateLimit', `"default";r=${Math.max(0, LIMIT - count)};t=${Math.ceil(leftMs / 1000)}`);
  if (count > LIMIT) return refuse(response, 429, 'RATE_LIMIT_EXCEEDED', requestId);

  /** @type {Record<string, string>} */
  const permissions = {};
  for (const name of NAMES) permissions[name] = granted.has(name) ? 'YES' : 'NO';
  const effective = new Set(granted);
  for (const name of effective) {
    const implied = RULES[name]?.implies;
    if (implied) effective.add(implied);
  }
  response.json({
    success: true,
    key_id: key.key_id,
    key_name: key.key_name,
    expires_at: key.expires_at?.toISOString() ?? null,
    project_id: key.project_id,
    app_id: key.app_id,
    scope_id: key.scope_id,
    permissions,
    allowed: NAMES.filter((name) => effective.has(name)),
    meta: { requestId, timestamp: new Date().toISOString() },
  });
});

const server = app.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send?.({ type: 'ready', url: `http://127.0.0.1:${port}` });
});
server.keepAliveTimeout = 65_000;
process.once('disconnect', () => process.exit());

/** @param {string} value */
function isKeyValue(value) {
  if (value.length !== KEY_LENGTH || !value.startsWith('sw_')) return false;
  let rest = crc32(value.slice(0, CHECKSUM_AT));
  for (let at = KEY_LENGTH - 1; at >= CHECKSUM_AT; at -= 1) {
    if (value[at] !== DIGITS[rest % 62]) return false;
    rest = Math.floor(rest / 62);
  }
  return true;
}

/** @param {Date | null} end */
function isPast(end) {
  return end !== null && end.getTime() <= Date.now();
}

/**
 * @param {import('express').Response} response
 * @param {number} status
 * @param {string} code
 * @param {string} requestId
 */
function refuse(response, status, code, requestId) {
  const meta = { requestId, timestamp: new Date().toISOString() };
  response.status(status).json({ success: false, statusCode: status, error: { code }, meta });
}
