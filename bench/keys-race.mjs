import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StartError } from '../scripts/start-error.mjs';
import { Administration } from './administration.mjs';
import { send } from './keys-request.mjs';
import { quantile, size, table } from './measure.mjs';

/** @import { Environment } from './environment.mjs' */

const ROUNDS = size(100, 20);
/** The workers that each process runs at once with the key that is revoked. */
const WORKERS = { readers: 3, slowReaders: 2, makers: 2, slowMakers: 1, setters: 1 };
/** Once all workers are busy, the revocation comes at a random moment within this time. */
const BUSY_MS = 120;
/** A slow request takes up to this long to send its body, long after its key was checked. */
const BODY_MS = 200;
const PATIENCE_MS = 10_000;
const PERMISSIONS = ['API_SCOPE_KEY_FULL', 'RUN_API', 'SESSIONS_LIST'];

/**
 * Each revocation notes which transactions were committed when the key's row was deleted, which is before the
 * revocation is answered. Everything that the key wrote must be among them. The note can be compared at any later time.
 */
const NOTE_REVOCATIONS = `
  create table bench_revocation (key_id text primary key, committed pg_snapshot not null);
  create function bench_note_revocation() returns trigger language plpgsql as $$
    begin
      insert into bench_revocation values (old.id, pg_current_snapshot());
      return null;
    end $$;
  create trigger bench_note_revocation after delete on api_key
    for each row execute function bench_note_revocation()`;

/** Imitates a busy disk: a commit takes up to 50 ms, and a COMMIT that has begun is not cancelled. */
const SLOW_COMMITS = `
  create function bench_slow_commit() returns trigger language plpgsql as $$
    begin
      if random() < 0.5 then perform pg_sleep(random() * 0.05); end if;
      return null;
    end $$;
  create constraint trigger bench_slow_commit after insert on api_key deferrable initially deferred
    for each row when (new.name like 'made %') execute function bench_slow_commit();
  create constraint trigger bench_slow_commit after update on scope deferrable initially deferred
    for each row execute function bench_slow_commit()`;

/** Finds keys that the revoked key made, and scopes that it set, if they were not committed by then. */
const LATE_EFFECTS = `
  with revoked as (select committed from bench_revocation where key_id = $1),
       written as (select name, xmin from api_key where scope_id = $2 and name like 'made %'
                   union all select 'the scope', xmin from scope where id = $2)
  select name from written, revoked where not pg_visible_in_snapshot(xmin::text::xid8, committed)`;

/**
 * The counts of one round, and their sums after all rounds.
 * @typedef {object} Findings
 * @property {number} before answers 2xx that came before the revocation was answered
 * @property {number} cut requests that ran when the key was revoked and were ended for that reason
 * @property {number} refusedBefore requests that were refused between the decision and its answer
 * @property {number} refusedAfter requests that were sent after the answer and refused
 * @property {Record<string, number>} others all other answers
 * @property {string[]} violations
 * @property {number[]} latencies of the DELETEs
 */

/**
 * Revokes keys while two processes run requests with them, by every kind of caller that may revoke, and looks for
 * effects that came too late.
 * @param {Environment} environment
 */
export async function printRace(environment) {
  const settings = { RATE_LIMIT_FAILED_AUTH: '0', API_KEYS_PER_SCOPE: '10000' };
  const services = [await environment.startService(settings), await environment.startService(settings)];
  const urls = services.map(({ url }) => url);
  const administration = new Administration(urls[0] ?? '', environment.adminKey);
  const appId = await administration.makeApp();
  const database = new pg.Client(environment.databaseUrl);
  await database.connect();
  await database.query(NOTE_REVOCATIONS);
  await database.query(SLOW_COMMITS);
  const agent = new Agent({ keepAlive: true });

  /** @type {Findings} */
  const findings = { before: 0, cut: 0, refusedBefore: 0, refusedAfter: 0, others: {}, violations: [], latencies: [] };
  const race = { urls, appId, agent, administration, database, adminKey: environment.adminKey, findings };
  const inEach = Object.values(WORKERS).reduce((sum, count) => sum + count);
  console.log(`Revoking a key while two processes run ${inEach} requests each with it`);
  try {
    for (let round = 0; round < ROUNDS; round += 1) await runRound(race, round);
  } finally {
    agent.destroy();
    await database.end();
  }

  const milliseconds = (/** @type {number} */ part) => `${quantile(findings.latencies, part).toFixed(1)} ms`;
  console.log(
    table([
      ['', ''],
      ['rounds', String(ROUNDS)],
      ['accepted before the DELETE was answered', String(findings.before)],
      ['ended while running', String(findings.cut)],
      ['refused before the DELETE was answered', String(findings.refusedBefore)],
      ['sent after it was, refused', String(findings.refusedAfter)],
      ['other answers', JSON.stringify(findings.others)],
      ['DELETE answered after: p50, p99, max', [0.5, 0.99, 1].map(milliseconds).join(', ')],
      ['violations', String(findings.violations.length)],
    ]),
  );
  for (const violation of findings.violations.slice(0, 20)) console.log(`  ${violation}`);
  const count = findings.violations.length;
  environment.judge({
    work: 'keys: requests and effects after a revocation was answered',
    ours: `${count} in ${ROUNDS} rounds`,
    target: 'none',
    isMet: count === 0,
  });
  return count === 0;
}

/**
 * @typedef {object} Race
 * @property {string[]} urls of the processes
 * @property {string} appId
 * @property {Agent} agent
 * @property {Administration} administration
 * @property {pg.Client} database
 * @property {string} adminKey
 * @property {Findings} findings
 */

/**
 * @param {Race} race
 * @param {number} round
 */
async function runRound(race, round) {
  const { urls, appId, administration, findings } = race;
  const scopeName = `round ${round}`;
  const scopeId = await administration.makeScope(appId, scopeName, PERMISSIONS);
  const { keyId, apikey: key } = await administration.makeKey(appId, scopeName, 'revoked');
  const { apikey: otherKey } = await administration.makeKey(appId, scopeName, 'other');
  const app = `/aaa/api/public/apps/${appId}`;
  const revocations = [
    { path: `/api/admin/v1/apps/${appId}/apikeys/${keyId}`, by: race.adminKey },
    { path: `${app}/apikeys/${keyId}`, by: otherKey },
    { path: `${app}/apikeys/${keyId}`, by: key },
  ];

  /** @type {{ isAnswered: boolean, isOver: boolean }} */
  const state = { isAnswered: false, isOver: false };
  /** @type {Set<string>} */
  const acknowledged = new Set();
  /** @type {(what: string) => void} */
  const violated = (what) => void findings.violations.push(`round ${round}: ${what}`);
  let made = 0;

  /**
   * Repeats a request until the round is over. A 2xx counts as early if it was read in the same turn of the event loop
   * as the DELETE's answer, or before. An answer that comes in a later turn has arrived later.
   * @param {(time: number) => { method: string, url: string, body?: object, bodyMs?: number, name?: string }} next
   */
  const worker = (next) => {
    /** @type {PromiseWithResolvers<void>} */
    const busy = Promise.withResolvers();
    /** @type {PromiseWithResolvers<void>} */
    const refused = Promise.withResolvers();
    const done = (async () => {
      for (let time = 0; !state.isOver; time += 1) {
        const isSentAfter = state.isAnswered;
        const { name, ...what } = next(time);
        let isLate = false;
        const { status, code } = await send(race.agent, { ...what, key }, () => (isLate = state.isAnswered));
        if (status >= 200 && status < 300) {
          const sent = isSentAfter ? 'after' : 'before';
          if (isLate) violated(`${what.method} sent ${sent} the answer: ${status} after it`);
          else findings.before += 1;
          if (name) acknowledged.add(name);
          busy.resolve();
        } else if (status === 401) {
          if (code === 'API_KEY_REVOKED') findings.cut += 1;
          else if (isSentAfter) findings.refusedAfter += 1;
          else findings.refusedBefore += 1;
          if (isSentAfter) refused.resolve();
          // Without this pause, refused requests would only keep the machine busy.
          await sleep(5);
        } else {
          findings.others[`${status} ${code}`] = (findings.others[`${status} ${code}`] ?? 0) + 1;
        }
      }
    })();
    return { busy: busy.promise, refused: refused.promise, done };
  };

  const workers = urls.flatMap((url) => {
    const me = { method: 'GET', url: `${url}/api/public/me` };
    const slowly = () => ({ bodyMs: Math.random() * BODY_MS });
    const make = () => {
      const name = `made ${(made += 1)}`;
      const body = { scope_name: scopeName, api_key_name: name };
      return { method: 'POST', url: `${url}${app}/apikeys/create`, body, name };
    };
    const set = (/** @type {number} */ time) => {
      const body = { permissions: { RUN_API: time % 2 ? 'YES' : 'NO' } };
      return { method: 'PUT', url: `${url}${app}/scopes/${scopeId}`, body };
    };
    return [
      ...times(WORKERS.readers, () => worker(() => me)),
      ...times(WORKERS.slowReaders, () => worker(() => ({ ...me, body: {}, ...slowly() }))),
      ...times(WORKERS.makers, () => worker(make)),
      ...times(WORKERS.slowMakers, () => worker(() => ({ ...make(), ...slowly() }))),
      ...times(WORKERS.setters, () => worker(set)),
    ];
  });

  try {
    await within(PATIENCE_MS, 'all are busy', Promise.all(workers.map(({ busy }) => busy)));
    await sleep(Math.random() * BUSY_MS);

    const { path, by } = revocations[round % revocations.length] ?? { path: '', by: '' };
    const begun = performance.now();
    const answer = await send(race.agent, { method: 'DELETE', url: urls[round % urls.length] + path, key: by }, () => {
      findings.latencies.push(performance.now() - begun);
      setImmediate(() => (state.isAnswered = true));
    });
    if (answer.status === 200) {
      await within(PATIENCE_MS, 'all are refused', Promise.all(workers.map(({ refused }) => refused)));
    } else {
      violated(`the DELETE was answered with ${answer.status} ${answer.code}`);
    }
  } finally {
    state.isOver = true;
    await Promise.all(workers.map(({ done }) => done));
  }
  for (const effect of await findEffects(race, { keyId, scopeId, acknowledged })) violated(effect);
}

/**
 * @param {Race} race
 * @param {{ keyId: string, scopeId: string, acknowledged: Set<string> }} round
 * @returns {Promise<string[]>} effects that must not exist, and missing ones that must
 */
async function findEffects({ database }, { keyId, scopeId, acknowledged }) {
  /** @type {(sql: string, values: string[]) => Promise<string[]>} */
  const names = async (sql, values) => {
    const { rows } = /** @type {pg.QueryResult<{ name: string }>} */ (await database.query(sql, values));
    return rows.map(({ name }) => name);
  };
  const gone = await names('select key_id as name from bench_revocation where key_id = $1', [keyId]);
  const late = await names(LATE_EFFECTS, [keyId, scopeId]);
  const lost = acknowledged.difference(new Set(await names('select name from api_key where scope_id = $1', [scopeId])));
  return [
    ...(gone.length === 0 ? ['the row of the key is still there'] : []),
    ...late.map((name) => `"${name}" was committed after the key had gone`),
    ...[...lost].map((name) => `"${name}" was acknowledged and is not there`),
  ];
}

/**
 * @template T
 * @param {number} count
 * @param {() => T} make
 */
function times(count, make) {
  return Array.from({ length: count }, make);
}

/**
 * @template T
 * @param {number} milliseconds
 * @param {string} what
 * @param {Promise<T>} promise
 */
function within(milliseconds, what, promise) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new StartError(`After ${milliseconds / 1000} s not yet: ${what}`)), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
