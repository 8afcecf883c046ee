import pg from 'pg';
import { median, quantile, table } from './measure.mjs';

export const SESSIONS = 100_000;
const PER_USER = 100;
const TIMES = 30;

/**
 * Writes sessions of the last day as a release wrote them that did not count sessions, and waits until the service has
 * counted them.
 * @param {string} databaseUrl
 * @param {string} appId of an app that has a session
 */
export async function makeSessions(databaseUrl, appId) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `begin;
       alter table session disable trigger count_late;
       insert into session (id, project_id, app_id, environment, env_id, user_id, user_reference, reference, source,
                            status, run_id, created_at, last_activity_at)
       select 's-many' || n, project_id, app_id, case n % 10 when 0 then 'staging' else 'production' end, env_id, user_id,
              'user-' || n / ${PER_USER}, 'order-' || n, case when n % 1000 = 0 then 'MP' else 'AP' end, 'idle', run_id,
              now() - n * interval '${86_000_000 / SESSIONS} milliseconds', now()
       from (select * from session where app_id = '${appId}' limit 1) one, generate_series(1, ${SESSIONS}) n;
       alter table session enable trigger count_late;
       delete from session_count;
       update session_counting set counted_until = '-infinity';
       commit`,
    );
    await client.query('vacuum analyze session');
    await client.query(`update job set run_at = now() where name = 'sessions.count' and state = 'queued'`);
    for (let isCounted = false; !isCounted;) {
      const { rows } = /** @type {{ rows: { isCounted: boolean }[] }} */ (
        await client.query(`select counted_until >= now() - interval '16 minutes' as "isCounted" from session_counting`)
      );
      isCounted = rows[0]?.isCounted === true;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    await client.end();
  }
}

/**
 * Measures the list of sessions over HTTP as the console asks for it, with each of its filters.
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {string} appId
 */
export async function printSessions(url, headers, appId) {
  const rows = [
    [`50 of ${SESSIONS.toLocaleString('en')} sessions with their total, ms`, 'match', 'median', 'p95', 'most'],
  ];
  for (const [title, filter, offset] of /** @type {const} */ ([
    ['the first page', {}, 0],
    ['the page from the 99,000th on', {}, 99_000],
    ['an environment of a tenth', { env_name: 'staging' }, 0],
    ['a source of a thousandth', { source: 'MP' }, 0],
    [`a user with ${PER_USER} sessions`, { user_reference_id: 'user-500' }, 0],
    ['a reference', { session_reference_id: 'order-50000' }, 0],
  ])) {
    /** @type {number[]} */
    const waits = [];
    let total = 0;
    for (let time = 0; time < TIMES; time += 1) {
      const asked = performance.now();
      const response = await fetch(`${url}/api/public/apps/${appId}/sessions/list?limit=50&offset=${offset}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(filter),
      });
      const body = await response.text();
      if (!response.ok) throw new Error(`The list answered ${response.status}: ${body}`);
      waits.push(performance.now() - asked);
      total = totalIn(body);
    }
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
