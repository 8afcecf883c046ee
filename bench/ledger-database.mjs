import pg from 'pg';
import { CallSearch } from '../dist/src/modules/ledger/read/call-search.js';
import { ConnectionPool } from '../dist/src/platform/database/connection-pool.js';
import { calls } from './ledger-calls.mjs';
import { DAY_MS } from './ledger-data.mjs';
import { median, size, spread, table } from './measure.mjs';

/** @import { Environment } from './environment.mjs' */
/** @import { DimFilter } from '../dist/src/modules/ledger/read/calls-wanted.js' */
/** @import { Matching } from '../dist/src/modules/ledger/read/matching.js' */
/** @import { PageWanted } from '../dist/src/modules/ledger/read/page-plan.js' */
/** @import { Ask } from '../dist/src/platform/database/reads.js' */
/** @import { Statement } from '../dist/src/platform/database/statement.js' */

/** @typedef {{ what: string, target: number, times: number[] }} Slowest */

const TIMES = size(15, 5);
const LATE = 100_000;
const LATE_TARGET = 2;
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
 * Sends the statements that the service sends, and measures them here, including the round trip over the loopback.
 * @param {Environment} environment
 * @param {string} projectId
 * @param {string} oddProject
 * @param {number} now
 */
export async function printDatabase(environment, projectId, oddProject, now) {
  const pool = new ConnectionPool({
    connectionString: environment.databaseUrl,
    max: 1,
    isPooled: environment.isCluster,
  });
  const connection = await pool.connect();
  const search = new CallSearch(calls);
  const ask = /** @type {Ask} */ (
    async (/** @type {Statement<unknown>} */ { sql, read }) =>
      read((await connection.ask({ ...sql.toQuery(), types: pg.types })).rows)
  );
  const rows = [['30 days of a project', 'match', 'ms']];
  /** @type {Map<string, Slowest>} */
  const slowest = new Map();
  const window = { sessionIds: null, from: new Date(now - 30 * DAY_MS), to: new Date(now) };

  /**
   * @param {string} kind statements of a kind are judged together, by the slowest
   * @param {string} what
   * @param {number} target
   * @param {number} match
   * @param {() => Promise<unknown>} work
   */
  const measure = async (kind, what, target, match, work) => {
    /** @type {number[]} */
    const times = [];
    for (let time = 0; time < TIMES; time += 1) {
      const begun = performance.now();
      await work();
      times.push(performance.now() - begun);
    }
    rows.push([what, match.toLocaleString('en'), spread(times, 2)]);
    const known = slowest.get(kind);
    if (!known || median(known.times) < median(times)) slowest.set(kind, { what, target, times });
  };
  const count = (/** @type {Matching} */ matching) => ask(calls.total(matching));
  const narrowed = (/** @type {string} */ project, /** @type {Partial<DimFilter>} */ filter) =>
    search.matching(ask, { ...window, projectId: project, filter: { ...NO_FILTER, ...filter } });
  const page = async (
    /** @type {Matching} */ matching,
    /** @type {Partial<PageWanted>} */ given,
    /** @type {number} */ total,
  ) => ask(calls.page(await search.plan(ask, matching, { ...NEWEST, ...given }, total)));

  const all = { ...window, projectId, dims: null };
  const total = await count(all);
  await measure('total, no filter', 'total, no filter', 1, total, () => count(all));
  for (const [place, filter] of FILTERS.entries()) {
    const matching = await narrowed(projectId, filter);
    const match = await count(matching);
    const label = `${place === 4 ? 'one filter that matches most' : `${place + 1} filters`}`;
    await measure(
      place === 4 ? `total, ${label}` : 'totals of filters',
      `total, ${label}`,
      place === 4 ? 5 : 10,
      match,
      () => narrowed(projectId, filter).then(count),
    );
    await measure('pages of filters', `newest 100, ${label}`, 50, match, () => page(matching, {}, match));
    await measure('pages of filters', `most expensive 100, ${label}`, 50, match, () =>
      page(matching, { sortBy: 'cost' }, match),
    );
  }
  for (const sortBy of /** @type {const} */ (['cost', 'latencyMs', 'totalTokens'])) {
    await measure('pages sorted by a metric', `highest 100 by ${sortBy}`, 2, total, () => page(all, { sortBy }, total));
  }
  const offset = `offset ${LATE.toLocaleString('en')}`;
  if (total > LATE) await measure('a late page', offset, LATE_TARGET, total, () => page(all, { offset: LATE }, total));
  else rows.push([offset, total.toLocaleString('en'), 'not measured']);

  const odd = await narrowed(oddProject, { status: 'success' });
  const oddMatch = await count(odd);
  await measure('total, adversarial', 'adversarial: total, one filter', 10, oddMatch, () =>
    narrowed(oddProject, { status: 'success' }).then(count),
  );
  connection.release();
  await pool.end();
  console.log(table(rows));
  for (const [kind, { what, target, times }] of slowest) {
    environment.judge({
      work: `ledger: ${kind}`,
      ours: `${spread(times, 2)} ms${what === kind ? '' : `, ${what}`}`,
      target: `at most ${target} ms`,
      isMet: median(times) <= target,
    });
  }
  // Without so many calls, no page is as late as the target says.
  if (total <= LATE) {
    environment.judge({
      work: 'ledger: a late page',
      ours: `the largest project has ${total.toLocaleString('en')} calls of 30 days; --rows 5000000 makes enough`,
      target: `${offset}: at most ${LATE_TARGET} ms`,
      isMet: undefined,
    });
  }
}
