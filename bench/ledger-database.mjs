import pg from 'pg';
import { findPage, plannedIfAlike } from '../dist/src/modules/ledger/page-finding.js';
import { totalOf } from '../dist/src/modules/ledger/store.counts.js';
import { matchingOf } from '../dist/src/modules/ledger/matching.js';
import { renderSummaries } from '../dist/src/modules/ledger/store.rendering.js';
import { sendTogether } from '../dist/src/platform/database/packets.js';
import { DAY_MS } from './ledger-data.mjs';
import { median, spread, table } from './measure.mjs';

/** @import { DimFilter } from '../dist/src/modules/ledger/calls-wanted.js' */
/** @import { Matching } from '../dist/src/modules/ledger/store.matching.js' */
/** @import { PageWanted } from '../dist/src/modules/ledger/store.page.js' */
/** @import { Sql } from '../dist/src/platform/database/sql.js' */

const TIMES = 15;
/** @type {PageWanted} */
const NEWEST = { sortBy: 'timestamp', sortOrder: 'desc', limit: 100, offset: 0 };
/** @type {DimFilter} */
const NO_FILTER = {
  channel: null,
  channelType: null,
  sources: null,
  subtypes: null,
  status: null,
  model: null,
  provider: null,
  environment: null,
  name: null,
};

/** @type {Partial<DimFilter>[]} */
const FILTERS = [
  { model: 'gpt-4o' },
  { model: 'gpt-4o', status: 'success' },
  { model: 'gpt-4o', status: 'success', environment: 'production' },
  { model: 'gpt-4o', status: 'success', environment: 'production', sources: ['runtime'] },
  { status: 'success' },
];

/**
 * What the service asks the database, asked from here: each time with the way there and back on the loopback.
 * @param {string} databaseUrl
 * @param {string} projectId
 * @param {string} oddProject
 * @param {number} now
 */
export async function printDatabase(databaseUrl, projectId, oddProject, now) {
  const pool = new pg.Pool(/** @type {pg.PoolConfig} */ ({ connectionString: databaseUrl, max: 1, pipeline: true }));
  sendTogether(pool);
  const client = await pool.connect();
  /** @type {<Row extends object>(query: Sql) => Promise<Row[]>} */
  const ask = async (query) =>
    /** @type {{ rows: never[] }} */ (await client.query({ ...query.toQuery(), types: pg.types })).rows;
  /** @type {string[][]} */
  const rows = [['30 days of a project', 'match', 'ms', 'target ms']];
  const window = { sessionIds: null, from: new Date(now - 30 * DAY_MS), to: new Date(now) };

  /**
   * @param {string} what
   * @param {number} target
   * @param {number} match
   * @param {() => Promise<unknown>} work
   */
  const measure = async (what, target, match, work) => {
    /** @type {number[]} */
    const times = [];
    for (let time = 0; time < TIMES; time += 1) {
      const begun = performance.now();
      await work();
      times.push(performance.now() - begun);
    }
    const mark = median(times) <= target ? '' : ' missed';
    rows.push([what, match.toLocaleString('en'), spread(times, 2), `${target}${mark}`]);
  };
  const count = async (/** @type {Matching} */ matching) => {
    const [counted] = /** @type {{ total: number }[]} */ (await ask(totalOf(matching)));
    return counted?.total ?? 0;
  };
  const narrowed = (/** @type {string} */ project, /** @type {Partial<DimFilter>} */ filter) =>
    matchingOf(ask, { ...window, projectId: project, filter: { ...NO_FILTER, ...filter } });
  const page = async (
    /** @type {Matching} */ matching,
    /** @type {Partial<PageWanted>} */ given,
    /** @type {number} */ total,
  ) => {
    const wanted = { ...NEWEST, ...given };
    const rendered = renderSummaries(matching.projectId, await findPage(ask, matching, wanted, total));
    return ask(plannedIfAlike(matching, wanted, rendered));
  };

  const all = { ...window, projectId, dims: null };
  const total = await count(all);
  await measure('total, no filter', 1, total, () => count(all));
  for (const [place, filter] of FILTERS.entries()) {
    const matching = await narrowed(projectId, filter);
    const match = await count(matching);
    const label = `${place === 4 ? 'one filter that matches most' : `${place + 1} filters`}`;
    await measure(`total, ${label}`, 10, match, () => narrowed(projectId, filter).then(count));
    await measure(`newest 100, ${label}`, 50, match, () => page(matching, {}, match));
    await measure(`dearest 100, ${label}`, 50, match, () => page(matching, { sortBy: 'cost' }, match));
  }
  for (const sortBy of /** @type {const} */ (['cost', 'latencyMs', 'totalTokens'])) {
    await measure(`highest 100 by ${sortBy}`, 2, total, () => page(all, { sortBy }, total));
  }
  const far = Math.min(100_000, total - 200);
  await measure(`offset ${far.toLocaleString('en')}`, 2, total, () => page(all, { offset: far }, total));

  const odd = await narrowed(oddProject, { status: 'success' });
  const oddMatch = await count(odd);
  await measure('adversarial: total, one filter', 10, oddMatch, () =>
    narrowed(oddProject, { status: 'success' }).then(count),
  );
  client.release();
  await pool.end();
  console.log(table(rows));
}
