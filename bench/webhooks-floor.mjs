import { createHmac, randomBytes } from 'node:crypto';
import { text as textOf } from 'node:stream/consumers';
import pg from 'pg';
import { Agent, request } from 'undici';
import { newNames, valueFor } from './message-recording.mjs';
import { sendTogether } from './packets.mjs';
import { serveProgram } from './serve-program.mjs';

/** @import { Recording, RecordedStatement } from './message-recording.mjs' */

/**
 * The floor of `bench/webhooks.mjs`: it writes the rows of a message by the statements that Slipway sends, with the same
 * commits, and calls back once. Each transaction is one packet. It checks no key and no body, reads nothing, and does
 * not recover from a crash. With `TOGETHER`, transactions that come while others commit are one transaction.
 */
const { DATABASE_URL, DATABASE_POOL, WORKER_SLOTS, CALLBACK_URL = '', TOGETHER } = process.env;
/** As many writers as record the calls of the gateway. */
const WRITERS = 2;
const SECRET = randomBytes(32);
const pool = new pg.Pool({
  connectionString: DATABASE_URL,
  max: Number(DATABASE_POOL),
  pipeline: true,
  // Slipway has one plan for each statement, too.
  options: '-c plan_cache_mode=force_generic_plan',
});
const agent = new Agent();
/** @type {Recording} */
let recording;

process.once('message', (/** @type {Recording} */ received) => {
  recording = received;
  process.send?.({ type: 'received' });
});
serveProgram((incoming, response) => void textOf(incoming).then((text) => accept(text, response)));

/** @type {(() => Promise<void>)[]} */
const waiting = [];
let free = Number(WORKER_SLOTS);

/**
 * The first transaction accepts the message, and the last one writes the outcome of the callback.
 * @param {string} text
 * @param {import('node:http').ServerResponse} response
 */
async function accept(text, response) {
  JSON.parse(text);
  const names = newNames(recording);
  const id = names.find((name) => name.startsWith('msg-')) ?? '';
  const [first = [], ...rest] = recording.transactions;
  await write(first, names);
  response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify({ message_id: id }));
  waiting.push(async () => {
    for (const statements of rest.slice(0, -1)) await write(statements, names);
    await callBack(id, bodyIn(rest.flat(), names));
    await write(rest.at(-1) ?? [], names);
  });
  void work();
}

/** Goes on with waiting messages, as long as a slot is free. */
async function work() {
  if (free === 0) return;
  free -= 1;
  for (let next = waiting.shift(); next; next = waiting.shift()) await next();
  free += 1;
}

/**
 * @param {string} id
 * @param {string} body
 */
async function callBack(id, body) {
  const signature = createHmac('sha256', SECRET).update(`${id}.0.${body}`).digest('base64');
  const headers = { 'content-type': 'application/json', 'webhook-id': id, 'webhook-signature': `v1,${signature}` };
  const answer = await request(CALLBACK_URL, { method: 'POST', headers, body, dispatcher: agent });
  await answer.body.dump();
}

/**
 * @param {RecordedStatement[]} statements
 * @param {string[]} names
 */
function bodyIn(statements, names) {
  const { values = [] } = statements.find(({ text }) => text.includes('into webhook_delivery')) ?? {};
  return values.map((value) => String(valueFor(value, names))).find((text) => text.startsWith('{"message_id"')) ?? '';
}

/** @typedef {{ statements: RecordedStatement[], names: string[], isWritten: PromiseWithResolvers<void> }} Writing */

/** @type {Writing[]} */
const unwritten = [];
let writers = 0;

/**
 * @param {RecordedStatement[]} statements
 * @param {string[]} names
 * @returns {Promise<void>}
 */
function write(statements, names) {
  const isWritten = /** @type {PromiseWithResolvers<void>} */ (Promise.withResolvers());
  const writing = { statements, names, isWritten };
  if (!TOGETHER) return commit([writing]);
  unwritten.push(writing);
  if (writers < WRITERS) void commitTogether();
  return isWritten.promise;
}

async function commitTogether() {
  writers += 1;
  while (unwritten.length > 0) {
    const batch = unwritten.splice(0);
    await commit(batch);
    for (const { isWritten } of batch) isWritten.resolve();
  }
  writers -= 1;
}

/** @param {Writing[]} batch */
async function commit(batch) {
  const queries = batch.flatMap(({ statements, names }) => statements.flatMap((one) => queriesOf(one, names)));
  const client = await pool.connect();
  try {
    await sendTogether(client, ['begin', ...queries, 'commit']);
  } finally {
    client.release();
  }
}

/**
 * If all places of its lane are taken, a job has not begun. It then begins in a lane of its own, before another
 * statement can give it a place.
 * @param {RecordedStatement} statement
 * @param {string[]} names
 */
function queriesOf({ text, values }, names) {
  const query = { name: nameOf(text), text, values: values.map((value) => valueFor(value, names)) };
  if (!text.includes('into job')) return [query];
  const written = query.values.map(String);
  const claim = {
    name: 'claim',
    text: `update job set state = 'running', attempt = 1, claim = $2, lease_until = now() + interval '30 seconds',
             lane = id, place = 1
           where id = $1 and state = 'queued'`,
    values: [written.find((value) => value.startsWith('j-')), written.find((value) => /^[0-9a-f]{8}-/.test(value))],
  };
  return [query, claim];
}

/** @type {Map<string, string>} */
const prepared = new Map();

/** @param {string} text */
function nameOf(text) {
  const name = prepared.get(text) ?? `write-${prepared.size}`;
  prepared.set(text, name);
  return name;
}
