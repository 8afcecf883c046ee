import { createServer } from 'node:http';
import pg from 'pg';

/**
 * The floor of `bench/ledger.mjs`: node:http, pg and the ledger's own tables, and nothing else: no key, no limit, no
 * log. The newest rows with their exact total in one prepared statement, their stored text joined to an answer. Or the
 * same behind a key, a limit and a log, by hand.
 */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ALL = '00000000-0000-0000-0000-000000000000';
/** @typedef {{ total: number, count: number, text: string }} Newest */

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.DATABASE_POOL) });

const NEWEST = {
  name: 'newest',
  text: `select ((select count(*) from ledger_row where project_id = $1 and ts >= $2 and ts < $3)
               + (select coalesce(sum(n), 0) from ledger_rollup where project_id = $1 and grain = 'h' and dim = '${ALL}'
                  and (bucket >= $3 and bucket < $4 or bucket >= $5 and bucket < $6))
               + (select coalesce(sum(n), 0) from ledger_rollup where project_id = $1 and grain = 'd' and dim = '${ALL}'
                  and bucket >= $4 and bucket < $5)
               + (select count(*) from ledger_row where project_id = $1 and ts >= $6 and ts < $7))::float8 as total,
               count(*)::integer as count, string_agg(doc || ',"payloadState":"missing"}', ',') as text
         from (select doc from ledger_row where project_id = $1 and ts >= $2 and ts < $7
               order by ts desc, id desc limit $8) page`,
};

/** @param {URLSearchParams} query */
async function newest(query) {
  const from = Date.parse(query.get('fromDate') ?? '');
  const to = Date.parse(query.get('toDate') ?? '');
  const limit = Number(query.get('limit') ?? 100);
  const [hour, lastHour] = [Math.ceil(from / HOUR) * HOUR, Math.floor(to / HOUR) * HOUR];
  const [day, lastDay] = [Math.ceil(hour / DAY) * DAY, Math.floor(lastHour / DAY) * DAY];
  const times = [from, hour, day, lastDay, lastHour, to].map((time) => new Date(time));
  const values = [query.get('project'), ...times, limit];
  const { rows } = /** @type {pg.QueryResult<Newest>} */ (await pool.query({ ...NEWEST, values }));
  const { total = 0, count = 0, text = '' } = rows[0] ?? {};
  const hasMore = count < total;
  const head = { success: true, statusCode: 200, total, limit, offset: 0, dataMode: 'summary', hasMore };
  return Buffer.from(`${JSON.stringify(head).slice(0, -1)},"generations":[${text}]}`);
}

if (process.env.BEHIND_A_KEY) await serveGuarded();
else servePlain();

function servePlain() {
  const server = createServer((request, response) => {
    void newest(new URL(request.url ?? '', 'http://floor').searchParams).then((body) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    process.send?.({ type: 'ready', url: `http://127.0.0.1:${port}` });
  });
  process.once('disconnect', () => process.exit());
}

/** The same for who has a key, as every guarded route by hand. */
async function serveGuarded() {
  const { findKey, isOver, isWithinLimit, newApp, refuse, serve } = await import('./by-hand.mjs');
  const app = newApp();
  app.get('/', async (request, response) => {
    const key = await findKey(request.get('x-api-key') ?? '');
    if (!key || isOver(key)) return refuse(response, 401, 'API_KEY_INVALID');
    if (!(await isWithinLimit(response, key.key_id))) return refuse(response, 429, 'RATE_LIMIT_EXCEEDED');
    const body = await newest(new URL(request.url, 'http://floor').searchParams);
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
  });
  serve(app);
}
