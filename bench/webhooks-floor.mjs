import { createHmac, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import Bull from 'bull';
import pg from 'pg';
import { Agent, request } from 'undici';

/**
 * The floor of `bench/webhooks.mjs`: the same commits by hand, each with as many rows, with bare Bull between them and
 * one POST at the end. It has no tenant, no search for the session, no lanes and no fence, and it loses what Redis
 * loses.
 */
const { DATABASE_URL, REDIS_URL = '', DATABASE_POOL, WORKER_SLOTS, CALLBACK_URL = '' } = process.env;
const SECRET = randomBytes(32);
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(DATABASE_POOL) });
const options = { defaultJobOptions: { removeOnComplete: true, removeOnFail: true } };
const turns = new Bull('floor-turns', REDIS_URL, options);
const callbacks = new Bull('floor-callbacks', REDIS_URL, options);
const agent = new Agent();

/** @typedef {{ id: string, message: string }} Sent */

void turns.process(Number(WORKER_SLOTS), async (/** @type {Bull.Job<Sent>} */ { data: { id, message } }) => {
  await inTransaction((client) => update(client, 'run', id));
  // A call of a model writes its rows in the ledger, its observation, and the step.
  await inTransaction(async (client) => {
    for (const what of ['call-key', 'call', 'call-dim', 'call-hour', 'call-day', 'observation', 'step']) {
      await insert(client, `${what}-${id}`, message);
    }
  });
  const body = JSON.stringify({ message_id: id, response: `You said: ${message}` });
  await inTransaction(async (client) => {
    for (const what of ['run', 'session', 'message']) await update(client, what, id);
    for (const what of ['answer', 'trace']) await insert(client, `${what}-${id}`, message);
    await insert(client, `delivery-${id}`, body);
  });
  await callbacks.add({ id });
});

void callbacks.process(Number(WORKER_SLOTS), async (/** @type {Bull.Job<Sent>} */ { data: { id } }) => {
  const { rows } = /** @type {pg.QueryResult<{ data: string }>} */ (
    await pool.query({ name: 'body', text: 'select data from bench_floor where id = $1', values: [`delivery-${id}`] })
  );
  const body = rows[0]?.data ?? '';
  const signature = createHmac('sha256', SECRET).update(`${id}.0.${body}`).digest('base64');
  const headers = { 'content-type': 'application/json', 'webhook-id': id, 'webhook-signature': `v1,${signature}` };
  const answer = await request(CALLBACK_URL, { method: 'POST', headers, body, dispatcher: agent });
  await answer.body.dump();
  await inTransaction(async (client) => {
    await insert(client, `attempt-${id}`, String(answer.statusCode));
    await update(client, 'delivery', id);
  });
});

const server = createServer((incoming, response) => {
  /** @type {Buffer[]} */
  const parts = [];
  incoming.on('data', (/** @type {Buffer} */ part) => parts.push(part));
  incoming.on('end', () => void accept(Buffer.concat(parts).toString(), response));
});
await Promise.all([turns.isReady(), callbacks.isReady()]);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  process.send?.({ type: 'ready', url: `http://127.0.0.1:${port}` });
});
process.once('disconnect', () => process.exit());
process.once('SIGTERM', () => process.exit());

/**
 * @param {string} text
 * @param {import('node:http').ServerResponse} response
 */
async function accept(text, response) {
  /** @type {unknown} */
  const parsed = JSON.parse(text);
  const { message } = /** @type {Sent} */ (parsed);
  const id = `msg-${randomBytes(12).toString('hex')}`;
  await inTransaction(async (client) => {
    for (const what of ['message', 'session', 'user', 'run', 'said']) await insert(client, `${what}-${id}`, message);
  });
  await turns.add({ id, message });
  response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify({ message_id: id }));
}

/**
 * @param {pg.PoolClient} client
 * @param {string} id
 * @param {string} data
 */
function insert(client, id, data) {
  return client.query({
    name: 'insert',
    text: 'insert into bench_floor (id, data) values ($1, $2)',
    values: [id, data],
  });
}

/**
 * @param {pg.PoolClient} client
 * @param {string} what
 * @param {string} id
 */
function update(client, what, id) {
  const text = 'update bench_floor set state = state + 1 where id = $1';
  return client.query({ name: 'update', text, values: [`${what}-${id}`] });
}

/** @param {(client: pg.PoolClient) => Promise<unknown>} work */
async function inTransaction(work) {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await work(client);
    await client.query('commit');
  } finally {
    client.release();
  }
}
