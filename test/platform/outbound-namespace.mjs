// This program runs in a network namespace of its own, in which foreign addresses can be given to this machine. It
// makes real connections to them and prints, as JSON, the answers and the number of connections that reached the
// canary.
import 'reflect-metadata';
import { Agent, request } from 'undici';
import { AddressRules } from '../../dist/src/platform/outbound/address-rules.js';
import { guardedConnect } from '../../dist/src/platform/outbound/guarded-connect.js';
import { Outbound } from '../../dist/src/platform/outbound/outbound.js';
import { at, NAMES, openForeignNetwork, PORT, PUBLIC } from './foreign-network.mjs';
import { closedUrls } from './outbound-corpus.mjs';

const LIMITS = { timeoutMs: 3_000, maxBytes: 1_000 };

const { canary, foreign } = await openForeignNetwork();

/** @type {unknown} */
const strict = { OUTBOUND_ALLOW_CIDRS: [] };
const outbound = new Outbound(/** @type {import('../../dist/src/platform/config/settings.js').Settings} */ (strict));
const agent = new Agent({ connect: guardedConnect(new AddressRules([])) });

const ways = {
  plain: (/** @type {string} */ url) => fetch(url, { signal: AbortSignal.timeout(3_000) }),
  guarded: (/** @type {string} */ url) => outbound.fetch(url, { headers: { connection: 'close' } }, LIMITS),
  // This request skips the check of the address, so that only the check of the connection is left.
  atConnect: async (/** @type {string} */ url) => ({
    status: (await request(url, { dispatcher: agent, reset: true })).statusCode,
  }),
};

const closedNames = Object.keys(NAMES).filter((name) => !/^(public|rebinding)/.test(name));
const closed = [...closedUrls(PORT), ...closedNames.map((name) => `http://${name}:${PORT}/`)];
const report = {
  unguarded: await reached('plain', ['127.0.0.1', '[::1]', '10.0.0.5', '169.254.169.254', 'loopback.test'].map(at)),
  closed: await reached('guarded', closed),
  closedAtConnect: await reached('atConnect', closed),
  public: await reached('guarded', ['public.test', PUBLIC].map(at)),
  redirect: await reached('guarded', [`http://public.test:${PORT}/redirect`]),
  rebinding: await reached(
    'guarded',
    Array.from({ length: 40 }, () => at('rebinding.test')),
  ),
};
process.stdout.write(JSON.stringify(report));
process.exit();

/**
 * @param {keyof typeof ways} way
 * @param {string[]} urls
 */
async function reached(way, urls) {
  const before = { canary: canary.connections, foreign: foreign.connections };
  const answers = [];
  for (const url of urls) answers.push(await ways[way](url).then(({ status }) => status, nameOf));
  return {
    asked: urls.length,
    answers,
    canary: canary.connections - before.canary,
    foreign: foreign.connections - before.foreign,
  };
}

/** @param {Error & { kind?: string }} error */
function nameOf(error) {
  return error.kind ?? 'failed';
}
