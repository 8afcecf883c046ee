import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Administration } from './administration.mjs';
import { send } from './keys-request.mjs';
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
/** The refusals that the contract names for a key which has ended, or which lacks the right. */
const REFUSALS = [401, 403];

/**
 * The tenant of a round. The second scope belongs to no key at first, and has no ceiling.
 * @typedef {{ app: string, scopeId: string, otherScope: string, keyId: string }} Tenant
 */

/**
 * A kind of change, the request that it forbids, and the codes with which the request may fail if it runs meanwhile.
 * @typedef {object} Kind
 * @property {(tenant: Tenant) => { method: string, path: string, body?: object, endsAt?: number }} change
 * @property {(tenant: Tenant, time: number) => { method: string, path: string, body?: object }} request
 * @property {string[]} [meanwhile]
 */

/** @param {Pick<Tenant, 'app' | 'scopeId'>} tenant */
const readScope = ({ app, scopeId }) => ({ method: 'GET', path: `/aaa/api/public/${app}/scopes/${scopeId}` });

/**
 * Apps and projects are missing here, because they can be deleted only when they have no scopes, and so no keys.
 * @type {Record<string, Kind>}
 */
const KINDS = {
  'the scope loses the permission': {
    change: ({ app, scopeId }) => ({
      method: 'PATCH',
      path: `/api/admin/v1/${app}/scopes/${scopeId}`,
      body: { permissions: { API_SCOPE_KEY_FULL: 'NO' } },
    }),
    request: readScope,
  },
  'the scope gets a lower ceiling': {
    change: ({ app, scopeId }) => ({
      method: 'PATCH',
      path: `/api/admin/v1/${app}/scopes/${scopeId}`,
      body: { ceiling: { API_SCOPE_KEY_FULL: 'YES' } },
    }),
    // A key may not make keys of a scope with a higher ceiling than its own.
    request: ({ app, otherScope }, time) => ({
      method: 'POST',
      path: `/aaa/api/public/${app}/apikeys/create`,
      body: { scope_name: otherScope, api_key_name: `made ${time}` },
    }),
    // Its transaction finds that the ceiling has changed since the request was admitted.
    meanwhile: ['BUSY'],
  },
  'the scope is deleted': {
    change: ({ app, scopeId }) => ({ method: 'DELETE', path: `/api/admin/v1/${app}/scopes/${scopeId}` }),
    request: readScope,
  },
  'the key is rotated': {
    change: ({ app, keyId }) => ({ method: 'POST', path: `/api/admin/v1/${app}/apikeys/${keyId}/rotate`, body: {} }),
    request: readScope,
  },
  'the key gets an earlier expiry': {
    change: ({ app, keyId }) => {
      const endsAt = Date.now() + EXPIRES_IN_MS;
      const body = { expiresAt: new Date(endsAt).toISOString() };
      return { method: 'PATCH', path: `/api/admin/v1/${app}/apikeys/${keyId}`, body, endsAt };
    },
    request: readScope,
  },
};

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
  console.log(
    `Changing a key while two processes answer ${READERS} requests each with it, ${ROUNDS} rounds of each kind`,
  );
  const rows = [
    ['', 'accepted before', 'refused meanwhile', 'refused after', 'answered after: p50, p99', 'violations'],
  ];
  let violations = 0;
  try {
    for (const [name, kind] of Object.entries(KINDS)) {
      const race = new Race(agent, urls, environment.adminKey, name, kind);
      for (let round = 0; round < ROUNDS; round += 1) {
        const scopeName = `${name} ${round}`;
        const otherScope = `beside ${scopeName}`;
        const scopeId = await administration.makeScope(appId, scopeName, ['API_SCOPE_KEY_FULL']);
        await administration.makeScope(appId, otherScope, []);
        const { keyId, apikey } = await administration.makeKey(appId, scopeName, 'changed');
        await race.run({ app: `apps/${appId}`, scopeId, otherScope, keyId }, apikey, round);
      }
      rows.push(race.row());
      violations += race.violations;
    }
  } finally {
    agent.destroy();
  }
  console.log(table(rows));
  environment.judge({
    work: 'keys: requests that succeeded after a change was answered',
    ours: `${violations} in ${ROUNDS * Object.keys(KINDS).length} rounds`,
    target: 'none',
    isMet: violations === 0,
  });
  return violations === 0;
}

/** The rounds of one kind of change, and what was counted in them. */
class Race {
  violations = 0;
  #accepted = 0;
  #refusedMeanwhile = 0;
  #refusedAfter = 0;
  /** @type {number[]} */
  #latencies = [];

  /**
   * @param {Agent} agent
   * @param {string[]} urls of the processes
   * @param {string} adminKey
   * @param {string} name
   * @param {Kind} kind
   */
  constructor(agent, urls, adminKey, name, kind) {
    this.agent = agent;
    this.urls = urls;
    this.adminKey = adminKey;
    this.name = name;
    this.kind = kind;
  }

  /**
   * @param {Tenant} tenant
   * @param {string} key
   * @param {number} round
   */
  async run(tenant, key, round) {
    const state = { obeyedFrom: Infinity, isOver: false };
    let time = 0;
    const reader = async (/** @type {string} */ url) => {
      while (!state.isOver) {
        const isSentAfter = Date.now() > state.obeyedFrom;
        const { path, ...request } = this.kind.request(tenant, (time += 1));
        this.#count(await send(this.agent, { ...request, url: url + path, key }, () => undefined), isSentAfter);
      }
    };
    const reading = Promise.all(this.urls.flatMap((url) => Array.from({ length: READERS }, () => reader(url))));
    // A reader may fail while the change is under way. Its failure is thrown in the end.
    reading.catch(() => undefined);
    try {
      await sleep(Math.random() * BUSY_MS);
      state.obeyedFrom = await this.#change(tenant, this.urls[round % this.urls.length] ?? '');
      await sleep(state.obeyedFrom - Date.now() + WATCHED_MS);
    } finally {
      state.isOver = true;
    }
    await reading;
  }

  /**
   * @param {Tenant} tenant
   * @param {string} url
   * @returns {Promise<number>} the time from which the change must be obeyed
   */
  async #change(tenant, url) {
    const { path, endsAt = 0, ...request } = this.kind.change(tenant);
    const begun = performance.now();
    const noteLatency = () => void this.#latencies.push(performance.now() - begun);
    const answer = await send(this.agent, { ...request, url: url + path, key: this.adminKey }, noteLatency);
    if (answer.status !== 200) throw new Error(`The change was answered with ${answer.status} ${answer.code}`);
    return Math.max(Date.now(), endsAt);
  }

  /**
   * An answer that is neither a success nor a refusal says nothing about the key, so it ends the measurement.
   * @param {{ status: number, code: string }} answer
   * @param {boolean} isSentAfter
   */
  #count({ status, code }, isSentAfter) {
    const isAccepted = status === 200 || status === 201;
    if (isAccepted && isSentAfter) this.violations += 1;
    else if (isAccepted) this.#accepted += 1;
    else if (REFUSALS.includes(status) && isSentAfter) this.#refusedAfter += 1;
    else if (REFUSALS.includes(status)) this.#refusedMeanwhile += 1;
    else if (this.kind.meanwhile?.includes(code) && !isSentAfter) this.#refusedMeanwhile += 1;
    else throw new Error(`When ${this.name}, a request was answered with ${status} ${code}`);
  }

  /** The cells of the table. Without requests on both sides of the change, nothing would have been measured. */
  row() {
    if (this.#accepted === 0) throw new Error(`No request was accepted before ${this.name}`);
    if (this.#refusedAfter + this.violations === 0) throw new Error(`No request was sent after ${this.name}`);
    const [half, most] = [0.5, 0.99].map((part) => `${quantile(this.#latencies, part).toFixed(1)} ms`);
    const counts = [this.#accepted, this.#refusedMeanwhile, this.#refusedAfter].map(String);
    return [this.name, ...counts, `${half}, ${most}`, `${this.violations}`];
  }
}
