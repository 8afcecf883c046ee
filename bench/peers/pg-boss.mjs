import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { JobsLoad } from '../jobs-load.mjs';

/** pg-boss that fetches jobs in batches as soon as it is notified. The effects of a batch are one statement. */

const QUEUE = 'measured';
const BATCH = 16;
const WORKERS = 4;

const { DATABASE_URL = '', DATABASE_POOL } = process.env;
const max = Number(DATABASE_POOL);
const pool = new pg.Pool({ connectionString: DATABASE_URL, max });
const boss = new PgBoss({ connectionString: DATABASE_URL, max, useListenNotify: true });
boss.on('error', console.error);
const load = new JobsLoad((id) => boss.send(QUEUE, { id }));
await boss.start();
await boss.createQueue(QUEUE, { notify: true });
await boss.work(
  QUEUE,
  { batchSize: BATCH, localConcurrency: WORKERS, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
  async (/** @type {{ data: { id: string } }[]} */ jobs) => {
    const ids = jobs.map(({ data }) => data.id);
    for (const id of ids) load.began(id);
    await pool.query({
      name: 'effects',
      text: 'insert into bench_effect (id) select unnest($1::text[])',
      values: [ids],
    });
    for (const _ of ids) load.ended();
  },
);

process.once('disconnect', () => process.exit());
process.once('SIGTERM', () => process.exit());
process.send?.({ type: 'ready', url: '' });
