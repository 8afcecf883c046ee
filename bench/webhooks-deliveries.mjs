import { Administration } from './administration.mjs';
import { median, size, spread, table } from './measure.mjs';
import { option } from './options.mjs';

/**
 * @import pg from 'pg'
 * @import { Environment } from './environment.mjs'
 * @import { BenchReceiver } from './webhooks-receiver.mjs'
 */

const TARGET_BESIDE_A_HANGING_ONE = 0.9;
const TARGET_MIB = 400;
const ROUNDS = size(3, 2);
const SUBSCRIPTIONS = 10;
const DELIVERIES_EACH = 300;
const WAITING = option('waiting', size(100_000, 5_000));

/** The time after the last delivery until the memory is looked at again. */
const IDLE_MS = size(60_000, 5_000);

/**
 * The measured service with its database, and the receiver of its callbacks.
 * @typedef {object} Measured
 * @property {pg.Client} database
 * @property {string} serviceUrl
 * @property {string} projectId
 * @property {BenchReceiver} receiver
 * @property {string} receiverUrl
 */

/**
 * @param {Environment} environment
 * @param {Measured} measured
 */
export async function besideAHangingOne(environment, { database, serviceUrl, projectId, receiver, receiverUrl }) {
  const administration = new Administration(serviceUrl, environment.adminKey);
  /** @type {{ n: number, id: string }[]} */
  const subscriptions = [];
  for (let n = 0; n < SUBSCRIPTIONS; n += 1) {
    subscriptions.push({ n, id: await administration.subscribe(projectId, `${receiverUrl}/one-of-ten/${n}`) });
  }
  const round = async () => {
    const before = subscriptions.map(({ n }) => receiver.countAt(`/one-of-ten/${n}`));
    const begun = performance.now();
    for (const { id } of subscriptions) await addDeliveries(database, projectId, id, DELIVERIES_EACH);
    await receiver.until(() =>
      subscriptions.every(
        ({ n }) => n === 0 || receiver.countAt(`/one-of-ten/${n}`) - (before[n] ?? 0) >= DELIVERIES_EACH,
      ),
    );
    return ((SUBSCRIPTIONS - 1) * DELIVERIES_EACH * 1000) / (performance.now() - begun);
  };
  await round();
  /** @type {number[]} */
  const well = [];
  /** @type {number[]} */
  const beside = [];
  const first = subscriptions[0]?.id;
  for (let n = 0; n < ROUNDS; n += 1) {
    well.push(await round());
    await database.query(`update webhook_subscription set callback_url = $1 where id = $2`, [
      `${receiverUrl}/hangs`,
      first,
    ]);
    beside.push(await round());
    await database.query(
      `update webhook_delivery set status = 'FAILED', ended_at = now(), next_attempt_at = null
       where subscription_id = $1 and status = 'PENDING'`,
      [first],
    );
    await database.query(
      `update webhook_subscription set callback_url = $1, failures = 0, paused_until = null where id = $2`,
      [`${receiverUrl}/one-of-ten/0`, first],
    );
    await until(
      database,
      `select count(*)::int as count from job where lane = $1 and state in ('queued', 'running', 'suspended')`,
      [first],
    );
  }
  const ratio = median(beside) / median(well);
  console.log(
    table([
      ['nine receivers', 'callbacks/s'],
      ['all ten well', spread(well)],
      ['the tenth hangs', spread(beside)],
      ['ratio of the medians', ratio.toFixed(2)],
    ]),
  );
  environment.judge({
    work: 'webhooks: nine receivers beside one that hangs',
    ours: `${spread(beside)} a second`,
    floor: `${spread(well)} a second, all ten well`,
    ratio: ratio.toFixed(2),
    target: `at least ${TARGET_BESIDE_A_HANGING_ONE}`,
    isMet: ratio >= TARGET_BESIDE_A_HANGING_ONE,
  });
}

/**
 * @param {Environment} environment
 * @param {Measured} measured
 */
export async function manyWaiting(environment, { database, serviceUrl, projectId, receiver, receiverUrl }) {
  const administration = new Administration(serviceUrl, environment.adminKey);
  const subscriptionId = await administration.subscribe(projectId, `${receiverUrl}/many`);
  const before = await residentMiB(serviceUrl);
  const begun = performance.now();
  await addDeliveries(database, projectId, subscriptionId, WAITING);
  /** @type {number[]} */
  const memory = [];
  for (let next = WAITING / 10; next <= WAITING; next += WAITING / 10) {
    await receiver.until(() => receiver.countAt('/many') >= next, 600_000);
    memory.push(await residentMiB(serviceUrl));
  }
  const seconds = (performance.now() - begun) / 1000;
  await until(
    database,
    `select count(*)::int as count from webhook_delivery where subscription_id = $1 and status <> 'DELIVERED'`,
    [subscriptionId],
  );
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const idle = await residentMiB(serviceUrl);
  console.log(
    table([
      ['waiting deliveries', 'callbacks/s', 'resident before, MiB', 'at each tenth, MiB', 'when idle again, MiB'],
      [
        String(WAITING),
        (WAITING / seconds).toFixed(0),
        before.toFixed(0),
        memory.map((each) => each.toFixed(0)).join(' '),
        idle.toFixed(0),
      ],
    ]),
  );
  const most = Math.max(...memory);
  environment.judge({
    work: `webhooks: memory while ${WAITING.toLocaleString('en')} deliveries wait`,
    ours: `${most.toFixed(0)} MiB at most; ${(WAITING / seconds).toFixed(0)} callbacks a second`,
    target: `at most ${TARGET_MIB} MiB`,
    isMet: most <= TARGET_MIB,
  });
}

/**
 * Adds deliveries and their jobs, as the service writes them.
 * @param {pg.Client} database
 * @param {string} projectId
 * @param {string} subscriptionId
 * @param {number} count
 */
async function addDeliveries(database, projectId, subscriptionId, count) {
  await database.query(
    `with ids as (
       select n, lpad(n::text, 6, '0') || substr(md5(random()::text), 1, 16) as id from generate_series(1, $3::int) as n),
     deliveries as (
       insert into webhook_delivery (id, project_id, subscription_id, event_id, event, body, status, attempts,
         attempts_since_replay, created_at)
       select 'dl-' || id, $1, $2, 'msg-' || id, 'agent.response', '{"message_id":"msg-' || id || '"}', 'PENDING', 0, 0, now()
       from ids)
     insert into job (id, name, project_id, lane, width, data, state, run_at, created_at)
     select 'j-' || id, 'webhooks.deliver', $1, $2, 8, jsonb_build_object('deliveryId', 'dl-' || id), 'queued', now(), now()
     from ids order by n`,
    [projectId, subscriptionId, count],
  );
}

/**
 * @param {pg.Client} database
 * @param {string} query
 * @param {unknown[]} values
 */
export async function until(database, query, values) {
  for (let tries = 0; tries < 600; tries += 1) {
    const { rows } = /** @type {pg.QueryResult<{ count: number }>} */ (await database.query(query, values));
    if (rows[0]?.count === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Not within a minute: ${query}`);
}

/** @param {string} serviceUrl */
async function residentMiB(serviceUrl) {
  const text = await (await fetch(`${serviceUrl}/metrics`)).text();
  const [, bytes = 'NaN'] = /^process_resident_memory_bytes(?:\{[^}]*\})? ([\d.e+]+)$/m.exec(text) ?? [];
  return Number(bytes) / 1024 / 1024;
}
