import 'reflect-metadata';
import { Module } from '@nestjs/common';
import pg from 'pg';
import { z } from 'zod';
import { AppModule } from '../../dist/src/app.module.js';
import { SYSTEM } from '../../dist/src/kernel/actor.js';
import { createApplication } from '../../dist/src/platform/application.js';
import { Settings } from '../../dist/src/platform/config/settings.js';
import { Database } from '../../dist/src/platform/database/database.js';
import { defineJob } from '../../dist/src/platform/queue/job-definition.js';
import { HandlesJob, JobHandler } from '../../dist/src/platform/queue/job-handler.js';
import { Jobs } from '../../dist/src/platform/queue/jobs.js';

/**
 * The built service with an extra job, as a process that may be killed. `POST /tasks?lane=…&n=…&ms=…` accepts a task.
 * Doing it takes the given time and writes one row. If two of a lane run at once, they write a row in `overlap`.
 */

const task = defineJob('test.task', {
  queue: 'upkeep',
  data: z.object({ lane: z.string(), n: z.number(), ms: z.number() }),
  attempts: 1_000,
  backoff: () => 0,
});

/** The locks are those of a connection of its own, so that they end with the process. */
const witness = new pg.Client({ connectionString: process.env.DATABASE_URL });
witness.on('error', () => undefined);

/** @typedef {{ lane: string, n: number, ms: number }} Task */

/** @extends {JobHandler<Task>} */
class DoTask extends JobHandler {
  /** @param {import('../../dist/src/platform/queue/job-run.js').JobRun<Task>} job */
  async run(job) {
    const { lane, n, ms } = job.data;
    let isAlone = await ask('select pg_try_advisory_lock(hashtext($1)) as yes', lane);
    if (!isAlone) await ask('insert into overlap values ($1) returning true as yes', lane);
    // The lock is released before the commit, because the lane's next job may start right after the commit.
    const leave = async () => {
      if (isAlone) await ask('select pg_advisory_unlock(hashtext($1)) as yes', lane);
      isAlone = false;
    };
    try {
      await new Promise((resolve) => setTimeout(resolve, ms));
      await job.finish(async (tx) => {
        await tx.em.execute('insert into done_task (lane, n) values (?, ?)', [lane, n]);
        await leave();
      });
    } finally {
      await leave();
    }
  }
}
HandlesJob(task)(DoTask);

class Root {}
Module({ imports: [AppModule], providers: [DoTask] })(Root);

const app = await createApplication(Root);
const database = app.get(Database);
const jobs = app.get(Jobs);
app.use(
  '/tasks',
  (/** @type {import('express').Request} */ request, /** @type {import('express').Response} */ response) => {
    const { lane, n, ms } = /** @type {Record<string, string>} */ (request.query);
    const data = { lane: String(lane), n: Number(n), ms: Number(ms) };
    database
      .apart(() => database.transaction(SYSTEM, (tx) => jobs.add(tx, task, data, { lane: data.lane })))
      .then(() => response.status(202).end())
      .catch(() => response.status(503).end());
  },
);

await witness.connect();
const { HOST, PORT } = app.get(Settings);
const stop = () => void app.close().then(() => process.exit(0));
process.once('SIGTERM', stop).once('disconnect', stop);
await app.listen(PORT, HOST);
process.send?.({ type: 'ready', url: await app.getUrl() });

/**
 * @param {string} text
 * @param {string} lane
 */
async function ask(text, lane) {
  const { rows } = /** @type {pg.QueryResult<{ yes: boolean }>} */ (await witness.query(text, [lane]));
  return rows[0]?.yes ?? false;
}
