import { createHmac, randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import express from 'express';
import { Redis } from 'ioredis';
import pg from 'pg';
import { pino } from 'pino';

/**
 * The code that the floors of guarded routes share: Express 5 and handwritten code, without a framework. A floor does
 * the same work for a request as the service does: an id, the key's checksum and digest, one increment in Redis, and
 * one line of log. The count in Redis expires with its window. A floor also reads the key for each request, because it
 * is not told about changes. A process of the service knows the key (decision 0037).
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
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_LENGTH = 52;
const CHECKSUM_AT = 46;

const log = pino({
  base: undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
});
const redis = /** @type {Redis & { count: (key: string, windowMs: number) => Promise<[number, number]> }} */ (
  new Redis(REDIS_URL ?? '')
);
redis.defineCommand('count', {
  numberOfKeys: 1,
  lua: `local count = redis.call('incr', KEYS[1])
        if count == 1 then redis.call('pexpire', KEYS[1], ARGV[1]) end
        return {count, redis.call('pttl', KEYS[1])}`,
});

export const pool = new pg.Pool({
  connectionString: DATABASE_URL,
  max: Number(DATABASE_POOL),
  pipeline: true,
});

/**
 * @template {object} Row
 * @param {pg.Pool | pg.PoolClient} on
 * @param {string} name the prepared statement's name, under which PostgreSQL plans it once
 * @param {string} text
 * @param {unknown[]} values
 */
export async function ask(on, name, text, values) {
  const { rows } = /** @type {pg.QueryResult<Row>} */ (await on.query({ name, text, values }));
  return rows;
}

/** Makes an application that gives each request an id and writes a line of log, which names `response.locals.actor`. */
export function newApp() {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.use((request, response, next) => {
    const begun = performance.now();
    const requestId = `tr-${randomUUID()}`;
    response.locals.requestId = requestId;
    response.setHeader('x-request-id', requestId);
    response.once('close', () =>
      log.info(
        {
          requestId,
          actor: response.locals.actor,
          method: request.method,
          path: request.path,
          status: response.statusCode,
          durationMs: Math.round((performance.now() - begun) * 10) / 10,
        },
        'request',
      ),
    );
    next();
  });
  return app;
}

/** @param {import('express').Express} app */
export function serve(app) {
  const server = app.listen(0, '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    process.send?.({ type: 'ready', url: `http://127.0.0.1:${port}` });
  });
  server.keepAliveTimeout = 65_000;
  process.once('disconnect', () => process.exit());
}

/**
 * @param {import('express').Response} response
 * @param {string} actor
 */
export async function isWithinLimit(response, actor) {
  response.locals.actor = actor;
  const [count, leftMs] = await redis.count(`floor:${actor}`, WINDOW_MS);
  response.setHeader('RateLimit-Policy', `"default";q=${LIMIT};w=60`);
  response.setHeader('RateLimit', `"default";r=${Math.max(0, LIMIT - count)};t=${Math.ceil(leftMs / 1000)}`);
  return count <= LIMIT;
}

/** @param {string} value */
export async function findKey(value) {
  if (!isKeyValue(value)) return undefined;
  const digest = createHmac('sha256', SLIPWAY_PEPPER).update(value).digest('base64url');
  const [key] = await /** @type {typeof ask<KeyRow>} */ (ask)(
    pool,
    'find-key',
    `select k.id as key_id, k.name as key_name, k.expires_at, k.revoked_at, v.valid_until,
            s.id as scope_id, s.granted, s.ceiling, s.app_id, a.project_id
     from api_key_value v join api_key k on k.id = v.key_id
     join scope s on s.id = k.scope_id join app a on a.id = s.app_id
     where v.digest = $1`,
    [digest],
  );
  return key?.revoked_at ? undefined : key;
}

/** @param {KeyRow} key */
export function isOver({ expires_at: expiresAt, valid_until: validUntil }) {
  return [expiresAt, validUntil].some((end) => end !== null && end.getTime() <= Date.now());
}

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

/**
 * @param {import('express').Response} response
 * @param {number} status
 * @param {string} code
 */
export function refuse(response, status, code) {
  const meta = { requestId: String(response.locals.requestId), timestamp: new Date().toISOString() };
  response.status(status).json({ success: false, statusCode: status, error: { code }, meta });
}
