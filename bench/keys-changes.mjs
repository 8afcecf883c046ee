import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Administration } from './administration.mjs';
import { send } from './keys-race.mjs';
import { quantile, size, table } from './measure.mjs';

/** @import { Environment } from './environment.mjs' */

const ROUNDS = size(100, 20);
const READERS = 3;
/** The change comes at a random moment within this time, while all readers are busy. */
const BUSY_MS = 40;
/** For this time after the answer, every request must be refused. */
const WATCHED_MS = 30;
/** The earliest time at which a key can end by a change of its expiry. */
const EXPIRES_IN_MS = 150;

/**
 * Changes what keys may do while two processes answer requests with them, and counts requests that were sent after the
 * answer to the change and succeeded.
 * @param {Environment} environment
 */
export async function printChanges(environment) {
  const settings = { RATE_LIMIT_FAILED_AUTH: '0', RATE_LIMIT_DEFAULT: '0', API_KEYS_PER_SCOPE: '10000' };
  const services = [await environment.startService(settings), await environment.startService(settings)];
  const urls = services.map(({ url }) => url);
  const administration = new Administration(urls[0] ?? '', environment.adminKey);
  const appId = await administration.makeApp();
  const agent = new Agent({ keepAlive: true });
  const app = `/api/admin/v1/apps/${appId}`;

  /** @typedef {{ scopeId: string, keyId: string, round: number }} Changed */
  /** @type {Record<string, (changed: Changed) => { method: string, path: string, body?: object, endsAt?: number }>} */
  const kinds = {
    'the scope loses the permission': ({ scopeId }) => ({
      method: 'PATCH',
      path: `${app}/scopes/${scopeId}`,
      body: { permissions: { API_SCOPE_KEY_FULL: 'NO' } },
    }),
    'the scope is deleted': ({ scopeId }) => ({ method: 'DELETE', path: `${app}/scopes/${scopeId}` }),
    'the key is rotated': ({ keyId }) => ({ method: 'POST', path: `${app}/apikeys/${keyId}/rotate`, body: {} }),
    'the key gets an earlier expiry': ({ keyId }) => {
      const endsAt = Date.now() + EXPIRES_IN_MS;
      return {
        method: 'PATCH',
        path: `${app}/apikeys/${keyId}`,
        body: { expiresAt: new Date(endsAt).toISOString() },
        endsAt,
      };
    },
  };

  console.log(
    `Changing a key while two processes answer ${READERS} requests each with it, ${ROUNDS} rounds of each kind`,
  );
  const rows = [['', 'accepted before', 'refused after', 'answered after: p50, p99', 'violations']];
  let violations = 0;
  try {
    for (const [kind, changeOf] of Object.entries(kinds)) {
      const found = { before: 0, after: 0, violations: 0, latencies: /** @type {number[]} */ ([]) };
      for (let round = 0; round < ROUNDS; round += 1) {
        const scopeName = `${kind} ${round}`;
        const scopeId = await administration.makeScope(appId, scopeName, ['API_SCOPE_KEY_FULL']);
        const { keyId, apikey: key } = await administration.makeKey(appId, scopeName, 'changed');
        const state = { obeyedFrom: Infinity, isOver: false };
        const readers = urls.flatMap((url) =>
          Array.from({ length: READERS }, async () => {
            while (!state.isOver) {
              const isSentAfter = Date.now() > state.obeyedFrom;
              const path = `${url}/aaa/api/public/apps/${appId}/scopes/${scopeId}`;
              const { status } = await send(agent, { method: 'GET', url: path, key }, () => undefined);
              if (status !== 200) found.after += 1;
              else if (isSentAfter) found.violations += 1;
              else found.before += 1;
            }
          }),
        );
        await sleep(Math.random() * BUSY_MS);
        const { method, path, body, endsAt = 0 } = changeOf({ scopeId, keyId, round });
        const begun = performance.now();
        const { status, code } = await send(
          agent,
          { method, url: (urls[round % 2] ?? '') + path, key: environment.adminKey, body },
          () => found.latencies.push(performance.now() - begun),
        );
        if (status !== 200) throw new Error(`The change was answered with ${status} ${code}`);
        state.obeyedFrom = Math.max(Date.now(), endsAt);
        await sleep(state.obeyedFrom - Date.now() + WATCHED_MS);
        state.isOver = true;
        await Promise.all(readers);
      }
      const [half, most] = [0.5, 0.99].map((part) => `${quantile(found.latencies, part).toFixed(1)} ms`);
      rows.push([kind, `${found.before}`, `${found.after}`, `${half}, ${most}`, `${found.violations}`]);
      violations += found.violations;
    }
  } finally {
    agent.destroy();
  }
  console.log(table(rows));
  environment.judge({
    work: 'keys: requests that succeeded after a change was answered',
    ours: `${violations} in ${ROUNDS * Object.keys(kinds).length} rounds`,
    target: 'none',
    isMet: violations === 0,
  });
  return violations === 0;
}
