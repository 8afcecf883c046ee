import pg from 'pg';
import { Administration } from './administration.mjs';
import { median, option, PERCENTILES, percentiles, size, spread, table } from './measure.mjs';
import { BenchReceiver } from './webhooks-receiver.mjs';

/** @import { Environment } from './environment.mjs' */

const TARGET = 0.8;
const TARGET_BESIDE_A_HANGING_ONE = 0.9;
const TARGET_MIB = 400;
const ROUNDS = size(5, 3);
const MESSAGES = option('--messages', size(400, 200));
const CALM_MESSAGES = size(60, 20);
const CLIENTS = 16;
const SUBSCRIPTIONS = 10;
const DELIVERIES_EACH = 300;
const WAITING = option('--waiting', size(100_000, 5_000));

/** The time after the last delivery until the memory is looked at again. */
const IDLE_MS = size(60_000, 10_000);

const MESSAGE = '/api/v1/channels/http-async/message';

/**
 * Compares a message that is accepted, answered and called back with the same commits by hand. It also measures
 * receivers beside one that hangs, and many waiting deliveries.
 * @param {Environment} environment
 */
export default async function run(environment) {
  const receiver = new BenchReceiver();
  const url = await receiver.start();
  const settings = { WORKER_SLOTS: '16', LOG_LEVEL: 'warn' };
  const service = await environment.startService({ ...settings, OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' });
  const database = new pg.Client({ connectionString: environment.databaseUrl });
  await database.connect();
  try {
    await database.query('create table bench_floor (id text primary key, data text, state integer not null default 0)');
    const floor = await environment.startFloor('webhooks', { ...settings, CALLBACK_URL: `${url}/floor` });
    const channel = await openChannel(new Administration(service.url, environment.adminKey), url);
    const isWhole = await besideTheFloor(
      environment,
      database,
      receiver,
      senderTo(service.url, channel),
      senderTo(floor.url),
    );
    await floor.stop();
    await besideAHangingOne(environment, database, receiver, channel, url);
    return (await manyWaiting(environment, database, receiver, channel, service.url)) && isWhole;
  } finally {
    await database.end();
    receiver.stop();
  }
}

/**
 * @typedef {object} Channel
 * @property {string} projectId
 * @property {string} key
 * @property {string} subscriptionId
 * @property {(path: string) => Promise<string>} subscribe
 */

/**
 * @param {Administration} administration
 * @param {string} receiverUrl
 * @returns {Promise<Channel>}
 */
async function openChannel(administration, receiverUrl) {
  const appId = await administration.makeApp();
  const projectId = await administration.projectOf(appId);
  await administration.makeScope(appId, 'benchmark', ['HTTP_ASYNC_SEND']);
  const { apikey: key } = await administration.makeKey(appId, 'benchmark', 'load');
  await administration.activateAgent(appId);
  const subscribe = (/** @type {string} */ path) => administration.subscribe(projectId, receiverUrl + path);
  return { projectId, key, subscriptionId: await subscribe('/slipway'), subscribe };
}

/** @typedef {(n: number) => Promise<{ id: string, sent: number }>} Sender */

/**
 * @param {string} url
 * @param {Channel} [channel] the floor has none
 * @returns {Sender}
 */
function senderTo(url, channel) {
  const headers = { 'content-type': 'application/json', ...(channel && { 'x-api-key': channel.key }) };
  const of = channel && { project_id: channel.projectId, subscription_id: channel.subscriptionId };
  return async (n) => {
    const body = JSON.stringify({ ...of, message: `Where is parcel ${n}?`, ...(of && { session_key: `bench-${n}` }) });
    const sent = performance.now();
    const response = await fetch(url + (channel ? MESSAGE : '/'), { method: 'POST', headers, body });
    if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
    const { message_id: id } = /** @type {{ message_id: string }} */ (await response.json());
    return { id, sent };
  };
}

let messagesSent = 0;

/**
 * @param {BenchReceiver} receiver
 * @param {Sender} send
 * @param {number} messages
 * @param {number} clients
 */
async function load(receiver, send, messages, clients) {
  /** @type {{ id: string, sent: number }[]} */
  const accepted = [];
  let left = messages;
  const begun = performance.now();
  const client = async () => {
    while (left > 0) {
      left -= 1;
      const one = await send((messagesSent += 1));
      accepted.push(one);
      // In a calm round, a message is sent when the callback of the last one has come.
      if (clients === 1) await receiver.until(() => receiver.arrivalOf(one.id) !== undefined);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  await receiver.until(() => accepted.every(({ id }) => receiver.arrivalOf(id) !== undefined));
  const seconds = (performance.now() - begun) / 1000;
  return {
    perSecond: messages / seconds,
    waits: accepted.map(({ id, sent }) => (receiver.arrivalOf(id) ?? NaN) - sent),
  };
}

/** @typedef {{ perSecond: number[], calm: number[] }} Figures */

/** @returns {Figures} */
function figures() {
  return { perSecond: [], calm: [] };
}

/**
 * @param {BenchReceiver} receiver
 * @param {Sender} send
 * @param {Figures} found
 */
async function measure(receiver, send, found) {
  found.perSecond.push((await load(receiver, send, MESSAGES, CLIENTS)).perSecond);
  found.calm.push(...(await load(receiver, send, CALM_MESSAGES, 1)).waits);
}

/**
 * @param {Environment} environment
 * @param {pg.Client} database
 * @param {BenchReceiver} receiver
 * @param {Sender} ours
 * @param {Sender} floor
 */
async function besideTheFloor(environment, database, receiver, ours, floor) {
  console.log(`${ROUNDS} rounds of ${MESSAGES} messages from ${CLIENTS} clients, taking turns; fsync on`);
  for (const send of [ours, floor]) await load(receiver, send, MESSAGES, CLIENTS);
  // PostgreSQL analyses tables by itself within a minute. It then also drops the plans that it made when they
  // were empty.
  await database.query('analyze');
  const found = { ours: figures(), floor: figures() };
  for (let round = 0; round < ROUNDS; round += 1) {
    const turns = [async () => measure(receiver, floor, found.floor), async () => measure(receiver, ours, found.ours)];
    // The programs alternate in going first.
    for (const turn of round % 2 ? turns.reverse() : turns) await turn();
  }
  const ratios = found.ours.perSecond.map((each, at) => each / (found.floor.perSecond[at] ?? NaN));
  const row = (/** @type {string} */ name, /** @type {Figures} */ { perSecond, calm }) => [
    name,
    spread(perSecond),
    ...percentiles(calm),
  ];
  console.log(
    table([
      ['accepted → called back', 'messages/s', ...PERCENTILES.map((name) => `calm: ${name} ms`)],
      row('Slipway', found.ours),
      row('the floor: the same commits by hand', found.floor),
      ['ratio, pair by pair', spread(ratios, 2), '', '', ''],
    ]),
  );
  environment.judge({
    work: 'webhooks: a message called back',
    ours: `${spread(found.ours.perSecond)} a second; ${percentiles(found.ours.calm)[0]} ms in a calm moment`,
    floor: `${spread(found.floor.perSecond)} a second; ${percentiles(found.floor.calm)[0]} ms, the same commits by hand`,
    ratio: spread(ratios, 2),
    target: `at least ${TARGET}`,
    isMet: median(ratios) >= TARGET,
  });
  return true;
}

/**
 * @param {Environment} environment
 * @param {pg.Client} database
 * @param {BenchReceiver} receiver
 * @param {Channel} channel
 * @param {string} url
 */
async function besideAHangingOne(environment, database, receiver, { projectId, subscribe }, url) {
  /** @type {{ n: number, id: string }[]} */
  const subscriptions = [];
  for (let n = 0; n < SUBSCRIPTIONS; n += 1) subscriptions.push({ n, id: await subscribe(`/one-of-ten/${n}`) });
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
  for (let n = 0; n < 3; n += 1) {
    well.push(await round());
    await database.query(`update webhook_subscription set callback_url = $1 where id = $2`, [`${url}/hangs`, first]);
    beside.push(await round());
    await database.query(
      `update webhook_delivery set status = 'FAILED', ended_at = now(), next_attempt_at = null
       where subscription_id = $1 and status = 'PENDING'`,
      [first],
    );
    await database.query(
      `update webhook_subscription set callback_url = $1, failures = 0, paused_until = null where id = $2`,
      [`${url}/one-of-ten/0`, first],
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
 * @param {pg.Client} database
 * @param {BenchReceiver} receiver
 * @param {Channel} channel
 * @param {string} serviceUrl
 */
async function manyWaiting(environment, database, receiver, { projectId, subscribe }, serviceUrl) {
  const subscriptionId = await subscribe('/many');
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
      ['waiting deliveries', 'callbacks/s', 'resident before, MiB', 'at each tenth, MiB', 'a minute later, MiB'],
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
  return true;
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
async function until(database, query, values) {
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
