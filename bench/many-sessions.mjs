import pg from 'pg';
import { median, quantile, table } from './measure.mjs';

const PER_USER = 100;
const TIMES = 30;
const DAY_MS = 86_400_000;
/** The sessions are a little closer together, so that all of them lie in the day until the last page is read. */
const WITHIN_MS = 86_000_000;

/**
 * Writes sessions of the last day as a release wrote them that did not count sessions, and waits until the service has
 * counted them. Returns how many seconds that took.
 * @param {string} databaseUrl
 * @param {string} appId of an app that has a session
 * @param {number} count
 */
export async function makeSessions(databaseUrl, appId, count) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `begin;
       alter table session disable trigger count_late;
       insert into session (id, project_id, app_id, environment, env_id, user_id, user_reference, reference, source,
                            status, run_id, created_at, last_activity_at)
       select 's-many' || n, project_id, app_id, case n % 10 when 0 then 'staging' else 'production' end, env_id, user_id,
              'user-' || n / ${PER_USER}, 'order-' || n,
              case when n % ${count / 25} = 1 then 'AIP' when n % 1000 = 0 then 'MP' else 'AP' end, 'idle', run_id,
              now() - n * interval '${WITHIN_MS / count} milliseconds', now()
       from (select * from session where app_id = '${appId}' limit 1) one, generate_series(1, ${count}) n;
       alter table session enable trigger count_late;
       delete from session_count;
       update session_counting set counted_until = '-infinity';
       commit`,
    );
    await client.query('vacuum analyze session');
    const begun = performance.now();
    await client.query(`update job set run_at = now() where name = 'sessions.count' and state = 'queued'`);
    for (let isCounted = false; !isCounted;) {
      const { rows } = /** @type {{ rows: { isCounted: boolean }[] }} */ (
        await client.query(`select counted_until >= now() - interval '16 minutes' as "isCounted" from session_counting`)
      );
      isCounted = rows[0]?.isCounted === true;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return (performance.now() - begun) / 1000;
  } finally {
    await client.end();
  }
}

/**
 * Returns the pages that are measured, each with its filter and the number of sessions before it. All of them but the
 * first page ask for a window of a day, which has an edge.
 * @param {number} count
 * @returns {readonly (readonly [title: string, filter: Record<string, string>, offset: number])[]}
 */
function pagesOf(count) {
  const end_time = new Date().toISOString();
  const since = (/** @type {number} */ ms) => ({
    start_time: new Date(Date.parse(end_time) - ms).toISOString(),
    end_time,
  });
  const day = since(DAY_MS);
  return [
    ['the first page', {}, 0],
    ['the last hour', since(3_600_000), 0],
    ['a day, from the middle on', day, count / 2],
    ['a day, the last page', day, count - 1_000],
    ['an environment of a tenth', { ...day, env_name: 'staging' }, 0],
    ['a source of a thousandth', { ...day, source: 'MP' }, 0],
    ['a source of 25, one in each hour', { ...day, source: 'AIP' }, 0],
    [`a user with ${PER_USER} sessions`, { user_reference_id: 'user-500' }, 0],
    ['a reference', { session_reference_id: 'order-50000' }, 0],
  ];
}

/**
 * Measures the list of sessions over HTTP with its total, as the console asks for it, with each of its filters.
 * @param {{ url: string, headers: Record<string, string>, appId: string, count: number, limit: number }} of
 */
export async function printSessions({ url, headers, appId, count, limit }) {
  const head = `${limit} of ${count.toLocaleString('en')} sessions with their total, ms`;
  const rows = [[head, 'match', 'median', 'p95', 'most']];
  for (const [title, filter, offset] of pagesOf(count)) {
    /** @type {number[]} */
    const waits = [];
    let total = 0;
    for (let time = 0; time < TIMES; time += 1) {
      const asked = performance.now();
      const response = await fetch(`${url}/api/public/apps/${appId}/sessions/list?limit=${limit}&offset=${offset}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(filter),
      });
      const body = await response.text();
      if (!response.ok) throw new Error(`The list answered ${response.status}: ${body}`);
      waits.push(performance.now() - asked);
      total = totalIn(body);
    }
    // Of 30 requests, the 99th percentile is the longest.
    const figures = [median(waits), quantile(waits, 0.95), Math.max(...waits)].map((value) => value.toFixed(1));
    rows.push([title, total.toLocaleString('en'), ...figures]);
  }
  console.log(table(rows));
}

/** @param {string} body */
function totalIn(body) {
  /** @type {unknown} */
  const answer = JSON.parse(body);
  return /** @type {{ total_count: number }} */ (answer).total_count;
}
