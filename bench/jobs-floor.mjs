import { randomBytes } from 'node:crypto';
import Bull from 'bull';
import pg from 'pg';
import { quantile } from './measure.mjs';

/**
 * The floor of `bench/jobs.mjs`: bare Bull, and the same rows and commits by hand. Accepting a job writes its row,
 * commits, and adds it to Bull. Running it writes the effect and "done" in one commit. The floor has no fence, no lanes
 * and no turns, and it loses what Redis loses.
 *
 * @typedef {object} Order
 * @property {number} jobs
 * @property {number} clients those that accept at the same time; each accepts its next job when the last one is
 *   committed
 * @property {boolean} [isByHand] whether it writes the rows of a job of the dock
 *
 * @typedef {object} Result
 * @property {number} perSecond
 * @property {number} p50 from commit to start, in milliseconds
 * @property {number} p99
 */

const { DATABASE_URL, REDIS_URL, DATABASE_POOL, WORKER_SLOTS } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(DATABASE_POOL) });
const queue = new Bull('floor', REDIS_URL ?? '', {
  defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
});

/** @type {Map<string, number>} */
const committedAt = new Map();
/** @type {number[]} */
const pickUps = [];
let left = 0;
let allDone = () => {};

void queue.process(Number(WORKER_SLOTS), async (/** @type {Bull.Job<{ id: string }>} */ { data: { id } }) => {
  const committed = committedAt.get(id);
  pickUps.push(committed === undefined ? 0 : performance.now() - committed);
  await inTransaction(async (client) => {
    await client.query({ name: 'effect', text: 'insert into bench_effect (id) values ($1)', values: [id] });
    await client.query({
      name: 'done',
      text: `update bench_floor_job set state = 'done', finished_at = now() where id = $1`,
      values: [id],
    });
  });
  left -= 1;
  if (left === 0) allDone();
});

process.on('message', (/** @type {Order} */ order) => void run(order).then((result) => process.send?.(result)));
process.once('disconnect', () => process.exit());
process.once('SIGTERM', () => process.exit());
await queue.isReady();
process.send?.({ type: 'ready', url: '' });

/**
 * @param {Order} order
 * @returns {Promise<Result>}
 */
async function run({ jobs, clients }) {
  committedAt.clear();
  pickUps.length = 0;
  left = jobs;
  const done = new Promise((resolve) => (allDone = () => resolve(undefined)));
  const begun = performance.now();
  let accepted = 0;
  const accept = async () => {
    while (accepted < jobs) {
      accepted += 1;
      const id = `j-${randomBytes(16).toString('hex')}`;
      await inTransaction((client) =>
        client.query({
          name: 'accept',
          text: `insert into bench_floor_job (id, name, project_id, data, state, run_at, created_at)
                 values ($1, 'bench', $2, $3, 'queued', now(), now())`,
          values: [id, 'p-floor', JSON.stringify({ id })],
        }),
      );
      committedAt.set(id, performance.now());
      await queue.add({ id });
    }
  };
  await Promise.all(Array.from({ length: clients }, accept));
  await done;
  const seconds = (performance.now() - begun) / 1000;
  return { perSecond: jobs / seconds, p50: quantile(pickUps, 0.5), p99: quantile(pickUps, 0.99) };
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
