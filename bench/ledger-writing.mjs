import pg from 'pg';
import { toStoredCalls } from '../dist/src/modules/ledger/write/stored-call.js';
import { calls as statementsOfCalls } from './ledger-calls.mjs';
import { traffic } from './ledger-data.mjs';
import { inRounds, median, ratiosOf, size, spread, table } from './measure.mjs';

/** @import { Environment } from './environment.mjs' */

const ROUNDS = size(7, 3);
const BATCH = 5_000;
/** These are some ten thousand calls, after which batches become no faster. */
const WARM_UP_BATCHES = size(10, 5);
const TARGET = 0.7;
const TARGET_A_SECOND = 15_000;

/**
 * Compares batches over one connection with the same rows rendered and inserted by hand into the same tables: one
 * transaction each, without HTTP, key, checks or prices.
 * @param {Environment} environment
 * @param {string} url
 * @param {string} projectId
 * @param {string} key
 */
export async function printWriting(environment, url, projectId, key) {
  const client = new pg.Client({ connectionString: environment.databaseUrl });
  await client.connect();
  const now = Date.now();
  const next = traffic(500, now);
  let batches = 0;
  const makeBatch = () => {
    batches += 1;
    return Array.from({ length: BATCH }, (_, place) => {
      const call = next(1 - place / BATCH / 2_000);
      // Calls with the ids of an earlier run on this database would not be accepted.
      return { ...call, callId: `${call.callId}-${now}-${batches}` };
    });
  };
  const byHand = async (/** @type {ReturnType<typeof makeBatch>} */ calls) => {
    const stored = await toStoredCalls(calls, () => ({ amount: 0, pricing: 'u' }));
    await client.query('begin');
    await client.query(statementsOfCalls.add('p-byhand', stored).sql.toQuery());
    await client.query('commit');
  };
  const overHttp = async (/** @type {string} */ body) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const path = `${url}/api/public/analytics/projects/${projectId}/llm-ledger`;
    const response = await fetch(path, { method: 'POST', headers, body });
    const { accepted } = /** @type {{ accepted: number }} */ (await response.json());
    if (accepted !== BATCH) throw new Error(`Of ${BATCH} calls ${accepted} were accepted`);
  };
  const measurements = [
    async () => {
      const body = JSON.stringify({ generations: makeBatch() });
      return BATCH / (await secondsOf(() => overHttp(body)));
    },
    async () => {
      const batch = makeBatch();
      return BATCH / (await secondsOf(() => byHand(batch)));
    },
  ];
  for (const measure of measurements.toReversed()) {
    for (let batch = 0; batch < WARM_UP_BATCHES; batch += 1) await measure();
  }
  const [http = [], hand = []] = await inRounds(ROUNDS, measurements);
  await client.end();
  const ratios = ratiosOf(http, hand);
  console.log(
    table([
      [`${BATCH.toLocaleString('en')} calls a batch, one connection`, 'calls/s'],
      ['Slipway', spread(http)],
      ['by hand', spread(hand)],
      ['ratio, pair by pair', spread(ratios, 2)],
    ]),
  );
  environment.judge({
    work: `ledger: a batch of ${BATCH.toLocaleString('en')}`,
    ours: `${spread(http)} calls a second`,
    floor: `${spread(hand)} calls a second by hand`,
    ratio: spread(ratios, 2),
    target: `at least ${TARGET} and ${TARGET_A_SECOND.toLocaleString('en')} a second`,
    isMet: median(ratios) >= TARGET && median(http) >= TARGET_A_SECOND,
  });
}

/** @param {() => Promise<void>} work */
async function secondsOf(work) {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}
