import { text as textOf } from 'node:stream/consumers';
import Bull from 'bull';
import pg from 'pg';
import { Agent, request } from 'undici';
import { serveProgram } from './serve-program.mjs';

/**
 * The other floor of `bench/webhooks.mjs`: bare Bull and one row. A message is one row and one job, and its callback one
 * more commit. It has no session, no ledger, no trace and no delivery, and it loses what Redis loses.
 */
const { DATABASE_URL, REDIS_URL = '', DATABASE_POOL, WORKER_SLOTS, CALLBACK_URL = '' } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(DATABASE_POOL) });
const queue = new Bull('floor-messages', REDIS_URL, {
  defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
});
const agent = new Agent();
let accepted = 0;

/** @typedef {{ id: string, message: string }} Message */

void queue.process(Number(WORKER_SLOTS), async (/** @type {Bull.Job<Message>} */ { data: { id, message } }) => {
  const body = JSON.stringify({ message_id: id, response: `You said: ${message}` });
  const headers = { 'content-type': 'application/json', 'webhook-id': id };
  const answer = await request(CALLBACK_URL, { method: 'POST', headers, body, dispatcher: agent });
  await answer.body.dump();
  const text = `update bench_message set state = 'called back', response = $2 where id = $1`;
  await pool.query({ name: 'end', text, values: [id, body] });
});

await pool.query(
  'create table bench_message (id text primary key, message text not null, state text not null, response text)',
);
await queue.isReady();
serveProgram((incoming, response) => void textOf(incoming).then((text) => accept(text, response)));

/**
 * @param {string} text
 * @param {import('node:http').ServerResponse} response
 */
async function accept(text, response) {
  /** @type {unknown} */
  const parsed = JSON.parse(text);
  const { message } = /** @type {Message} */ (parsed);
  const id = `bull-${(accepted += 1)}`;
  const insert = `insert into bench_message (id, message, state) values ($1, $2, 'accepted')`;
  await pool.query({ name: 'accept', text: insert, values: [id, message] });
  await queue.add({ id, message });
  response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify({ message_id: id }));
}
