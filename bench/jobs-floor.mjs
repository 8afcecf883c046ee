import Bull from 'bull';
import pg from 'pg';
import { JobsLoad } from './jobs-load.mjs';
import { sendTogether } from './packets.mjs';

/**
 * The floor of `bench/jobs.mjs`: bare Bull, and the same rows and commits by hand. Accepting a job writes its row,
 * commits, and adds it to Bull. Running it writes the effect and "done" in one commit. Each of the two is one packet. The
 * floor has no fence, no lanes and no turns, and it loses what Redis loses.
 */

const { DATABASE_URL, REDIS_URL, DATABASE_POOL, WORKER_SLOTS } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(DATABASE_POOL), pipeline: true });
const queue = new Bull('floor', REDIS_URL ?? '', {
  defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
});
const load = new JobsLoad(async (id) => {
  // A statement alone is a transaction.
  await pool.query({
    name: 'accept',
    text: `insert into bench_floor_job (id, name, project_id, data, state, run_at, created_at)
           values ($1, 'bench', $2, $3, 'queued', now(), now())`,
    values: [id, 'p-floor', JSON.stringify({ id })],
  });
  load.committed(id);
  await queue.add({ id });
});

void queue.process(Number(WORKER_SLOTS), async (/** @type {Bull.Job<{ id: string }>} */ { data: { id } }) => {
  load.began(id);
  const client = await pool.connect();
  try {
    await sendTogether(client, [
      'begin',
      { name: 'effect', text: 'insert into bench_effect (id) values ($1)', values: [id] },
      {
        name: 'done',
        text: `update bench_floor_job set state = 'done', finished_at = now() where id = $1`,
        values: [id],
      },
      'commit',
    ]);
  } finally {
    client.release();
  }
  load.ended();
});

process.once('disconnect', () => process.exit());
process.once('SIGTERM', () => process.exit());
await queue.isReady();
process.send?.({ type: 'ready', url: '' });
