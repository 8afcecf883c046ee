import { run } from 'graphile-worker';
import pg from 'pg';
import { JobsLoad } from '../jobs-load.mjs';

/** Graphile Worker with the settings that its documents recommend for many short jobs. */

const { DATABASE_URL, DATABASE_POOL, WORKER_SLOTS } = process.env;
const slots = Number(WORKER_SLOTS);
const load = new JobsLoad((id) => runner.addJob('measured', { id }));
const runner = await run({
  pgPool: new pg.Pool({ connectionString: DATABASE_URL, max: Number(DATABASE_POOL) }),
  concurrency: slots,
  noHandleSignals: true,
  taskList: {
    async measured(payload, { withPgClient }) {
      const { id } = /** @type {{ id: string }} */ (payload);
      load.began(id);
      await withPgClient((client) =>
        client.query({ name: 'effect', text: 'insert into bench_effect (id) values ($1)', values: [id] }),
      );
      load.ended();
    },
  },
  preset: { worker: { localQueue: { size: slots + 1 }, completeJobBatchDelay: 0 } },
});

process.once('disconnect', () => process.exit());
process.once('SIGTERM', () => process.exit());
process.send?.({ type: 'ready', url: '' });
