import pg from 'pg';

/**
 * Builds the answer of the floors of `bench/ledger.mjs`: the newest rows with their exact total. One prepared statement
 * reads them from the ledger's own tables, and their stored text is joined to an answer.
 */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ALL = '00000000-0000-0000-0000-000000000000';
/** @typedef {{ total: number, count: number, text: string }} Newest */

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.DATABASE_POOL),
  // As in the service, a generic plan is forced, because PostgreSQL would otherwise plan the statement each time. Citus
  // cannot make one for all projects.
  ...(process.env.DATABASE_DIRECT_URL ? {} : { options: '-c plan_cache_mode=force_generic_plan' }),
});

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
export async function newest(query) {
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
