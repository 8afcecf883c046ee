import { createHmac } from 'node:crypto';
import pg from 'pg';
import { Administration } from './administration.mjs';
import { table } from './measure.mjs';
import { StatementTap } from './statements.mjs';

/** @import { Environment } from './environment.mjs' */

const REQUESTS = 200;
/** A process reads a known key again if its listening connection was not checked in the last three seconds. */
const MOST_READS = 2;
/** With so many keys, PostgreSQL does not read the whole table instead of using an index. */
const KEYS = 50_000;
/** The process's workers send statements all the time; those about keys are recognised by the table's name. */
const OF_KEYS = /\bapi_key/;

/**
 * Counts the statements that requests with good and with bad keys lead to, and asks how PostgreSQL answers them.
 * @param {Environment} environment
 */
export async function printCheck(environment) {
  const tap = new StatementTap(environment.databaseUrl);
  await tap.listen();
  const service = await environment.startService({ DATABASE_URL: tap.url, RATE_LIMIT_FAILED_AUTH: '0' });
  const database = new pg.Client(environment.databaseUrl);
  await database.connect();
  try {
    await fill(database);
    const administration = new Administration(service.url, environment.adminKey);
    const appId = await administration.makeApp();
    await administration.makeScope(appId, 'check', ['RUN_API']);
    const { apikey: right } = await administration.makeKey(appId, 'check', 'right');
    const { apikey: unknown, keyId } = await administration.makeKey(appId, 'check', 'unknown');
    await administration.revokeKey(appId, keyId);
    const mistyped = right.slice(0, -1) + (right.endsWith('0') ? '1' : '0');
    // The first use reads the key, and notes the use, so it is not counted.
    await requests(service.url, right, 1);

    /** @type {(key: string) => Promise<{ status: string, statements: string[] }>} */
    const watch = async (key) => {
      tap.statements = [];
      const status = await requests(service.url, key, REQUESTS);
      return { status, statements: tap.statements.map(({ text }) => text).filter((text) => OF_KEYS.test(text)) };
    };
    const watched = { mistyped: await watch(mistyped), unknown: await watch(unknown), right: await watch(right) };

    const digest = createHmac('sha256', environment.pepper).update(unknown).digest('base64url');
    const reads = new Set(watched.unknown.statements.map((statement) => statement.replaceAll(digest, '$1')));
    const plans = await Promise.all([...reads].map((statement) => scansOf(database, statement, digest)));
    const scans = plans.flat();
    console.log(`Checking a key, beside ${KEYS.toLocaleString('en')} others; ${REQUESTS} requests each`);
    console.log(
      table([
        ['key', 'answers', 'database statements'],
        ['with a wrong checksum', watched.mistyped.status, String(watched.mistyped.statements.length)],
        ['well-formed, revoked', watched.unknown.status, String(watched.unknown.statements.length)],
        ['good, known', watched.right.status, String(watched.right.statements.length)],
      ]),
    );
    console.log(`The statement reads by ${scans.join(', ')}`);

    const holds =
      watched.mistyped.statements.length === 0 &&
      watched.unknown.statements.length === REQUESTS &&
      watched.right.statements.length <= MOST_READS &&
      reads.size === 1 &&
      scans.every((scan) => scan.startsWith('Index'));
    console.log(`An indexed read of an unknown key, and none of others: ${holds ? 'holds.' : 'DOES NOT HOLD.'}`);
    return holds;
  } finally {
    await database.end();
    await service.stop();
    tap.close();
  }
}

/**
 * Fills the tables with other keys, twenty for each scope.
 * @param {pg.Client} database
 */
async function fill(database) {
  const scopes = KEYS / 20;
  for (const statement of [
    `insert into project select 'p-' || n, 'other', now() from generate_series(1, ${scopes / 10}) n`,
    `insert into app select 'aa-' || n, 'p-' || 1 + n % ${scopes / 10}, 'other', now() from generate_series(1, ${scopes / 5}) n`,
    `insert into scope (id, app_id, name, description, granted, created_at)
       select 'as-' || n, 'aa-' || 1 + n % ${scopes / 5}, 'scope ' || n, '', '{RUN_API}', now() from generate_series(1, ${scopes}) n`,
    `insert into api_key (id, scope_id, name, hint, created_at)
       select 'ak-' || n, 'as-' || 1 + n % ${scopes}, 'key ' || n, '', now() from generate_series(1, ${KEYS}) n`,
    `insert into api_key_value (digest, key_id) select md5(n::text), 'ak-' || n from generate_series(1, ${KEYS}) n`,
    'analyze',
  ]) {
    await database.query(statement);
  }
}

/**
 * @param {string} url
 * @param {string} key
 * @param {number} count
 * @returns {Promise<string>} the different statuses of the answers
 */
async function requests(url, key, count) {
  const statuses = new Set();
  for (let sent = 0; sent < count; sent += 1) {
    const response = await fetch(`${url}/api/public/me`, { headers: { 'x-api-key': key } });
    await response.arrayBuffer();
    statuses.add(response.status);
  }
  return [...statuses].join(', ');
}

/**
 * Returns how PostgreSQL reads each table of a statement.
 * @param {pg.Client} database
 * @param {string} statement
 * @param {string} digest
 * @returns {Promise<string[]>}
 */
async function scansOf(database, statement, digest) {
  const asked = statement.replace(`'$1'`, '$1');
  const places = new Set(asked.match(/\$\d+/g)).size;
  const result = await database.query(`explain (format json) ${asked}`, [digest, new Date()].slice(0, places));
  /** @typedef {{ 'Node Type': string, 'Index Name'?: string, 'Relation Name'?: string, Plans?: Plan[] }} Plan */
  const [explained] = /** @type {pg.QueryResult<{ 'QUERY PLAN': { Plan: Plan }[] }>} */ (result).rows;
  /** @type {(plan: Plan) => string[]} */
  const leaves = (plan) =>
    plan.Plans?.flatMap(leaves) ?? [`${plan['Node Type']} on ${plan['Index Name'] ?? plan['Relation Name'] ?? ''}`];
  return explained?.['QUERY PLAN'].flatMap(({ Plan: plan }) => leaves(plan)) ?? [];
}
