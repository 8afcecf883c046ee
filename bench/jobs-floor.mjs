import Bull from 'bull';
import pg from 'pg';
import { JobsLoad } from './jobs-load.mjs';

/**
 * The floor of `bench/jobs.mjs`: bare Bull, and the same rows and commits by hand. Accepting a job writes its row,
 * commits, and adds it to Bull. Running it writes the effect and "done" in one commit. The floor has no fence, no lanes
 * and no turns, and it loses what Redis loses.
 */

const { DATABASE_URL, REDIS_URL, DATABASE_POOL, WORKER_SLOTS } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(DATABASE_POOL) });
const queue = new Bull('floor', REDIS_URL ?? '', {
  defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
});
const load = new JobsLoad(async (id) => {
  await inTransaction((client) =>
    client.query({
      name: 'accept',
      text: `insert into bench_floor_job (id, name, project_id, data, state, run_at, created_at)
             values ($1, 'bench', $2, $3, 'queued', now(), now())`,
      values: [id, 'p-floor', JSON.stringify({ id })],
    }),
  );
  load.committed(id);
  await queue.add({ id });
});

void queue.process(Number(WORKER_SLOTS), async (/** @type {Bull.Job<{ id: string }>} */ { data: { id } }) => {
  load.began(id);
  await inTransaction(async (client) => {
    await client.query({ name: 'effect', text: 'insert into bench_effect (id) values ($1)', values: [id] });
    await client.query({
      name: 'done',
      text: `update bench_floor_job set state = 'done', finished_at = now() where id = $1`,
      values: [id],
    });
  });
  load.ended();
});

process.once('disconnect', () => process.exit());
process.once('SIGTERM', () => process.exit());
await queue.isReady();
process.send?.({ type: 'ready', url: '' });

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
