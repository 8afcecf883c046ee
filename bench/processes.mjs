import { inProject } from '../scripts/project.mjs';
import { Administration } from './administration.mjs';
import { quantile, size, table } from './measure.mjs';

/** @import { Environment } from './environment.mjs' */

/**
 * The revocations with so many processes.
 * @typedef {object} Findings
 * @property {number[]} answered the milliseconds until the answer
 * @property {number} pending those that were answered 503, because a process had not confirmed in time
 * @property {number} accepted requests with a key after its revocation that were not refused
 */

const REVOCATIONS = size(50, 10);
const PROCESSES = [2, 10, 100];
/** The light processes share programs, because a machine has not the memory for so many of them. */
const IN_A_PROGRAM = 25;
const WITHIN_MS = 5_000;
const SCOPE = 'revoked';

/**
 * Measures how long a revocation takes while many processes listen for it. Two of them are services that use the keys,
 * and all others are the service's own listeners.
 * @param {Environment} environment
 */
export default async function run(environment) {
  const settings = { DATABASE_POOL: '10', RATE_LIMIT_FAILED_AUTH: '0' };
  const services = [await environment.startService(settings), await environment.startService(settings)];
  const urls = services.map(({ url }) => url);
  const administration = new Administration(urls[0] ?? '', environment.adminKey);
  const appId = await administration.makeApp();
  await administration.makeScope(appId, SCOPE, ['SESSIONS_LIST']);
  const revoke = (/** @type {string} */ keyId) =>
    fetch(`${urls[0]}/api/admin/v1/apps/${appId}/apikeys/${keyId}`, {
      method: 'DELETE',
      headers: { 'x-api-key': environment.adminKey },
    });

  const rows = [['processes', 'revocation answered after: p50, p99, max, ms', 'of them 503', 'key used afterwards']];
  /** @type {Findings[]} */
  const all = [];
  for (let [place, running] = [0, urls.length]; place < PROCESSES.length; place += 1) {
    const processes = PROCESSES[place] ?? 0;
    for (; running < processes; running += IN_A_PROGRAM) {
      await startListeners(environment, Math.min(IN_A_PROGRAM, processes - running));
    }
    running = processes;
    /** @type {Findings} */
    const found = { answered: [], pending: 0, accepted: 0 };
    for (let time = 0; time < REVOCATIONS; time += 1) {
      const made = await administration.makeKey(appId, SCOPE, `key ${time} of ${processes}`);
      await revokeOne(found, urls, made, revoke);
    }
    const times = [0.5, 0.99, 1].map((part) => quantile(found.answered, part).toFixed(0)).join(', ');
    rows.push([`${processes}`, times, `${found.pending} of ${REVOCATIONS}`, `${found.accepted}`]);
    all.push(found);
  }
  console.log(table(rows));
  const slowest = Math.max(...all.flatMap(({ answered }) => answered));
  const accepted = all.reduce((sum, found) => sum + found.accepted, 0);
  const pending = all.reduce((sum, found) => sum + found.pending, 0);
  environment.judge({
    work: `processes: a revocation among ${PROCESSES.at(-1)}`,
    ours: `at most ${slowest.toFixed(0)} ms; ${pending} were answered 503, and ${accepted} requests with a revoked key were accepted`,
    target: `${WITHIN_MS / 1_000} s, and none`,
    isMet: slowest <= WITHIN_MS && pending + accepted === 0,
  });
  return pending + accepted === 0;
}

/**
 * @param {Environment} environment
 * @param {number} count
 */
function startListeners(environment, count) {
  const settings = { DATABASE_URL: environment.databaseUrl, LISTENERS: String(count) };
  return environment.startProgram(inProject('bench', 'listeners.mjs'), settings);
}

/**
 * Revokes a key that both services know, and uses it at once afterwards.
 * @param {Findings} found
 * @param {string[]} urls
 * @param {{ keyId: string, apikey: string }} made
 * @param {(keyId: string) => Promise<Response>} revoke
 */
async function revokeOne(found, urls, { keyId, apikey }, revoke) {
  const use = () =>
    Promise.all(
      urls.map(async (url) => (await fetch(`${url}/api/public/me`, { headers: { 'x-api-key': apikey } })).status),
    );
  const before = await use();
  if (before.some((status) => status !== 200)) throw new Error(`A good key was answered ${before.join(', ')}`);
  const begun = performance.now();
  const { status } = await revoke(keyId);
  found.answered.push(performance.now() - begun);
  if (status === 503) found.pending += 1;
  found.accepted += (await use()).filter((each) => each !== 401).length;
}
