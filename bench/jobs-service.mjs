import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { z } from 'zod';
import { JobsLoad } from './jobs-load.mjs';

/**
 * The service with two extra jobs, which it accepts and runs in its own process. `bench/jobs.mjs` measures the plain
 * one. The other one writes the rows of a job of the dock by hand, and is the floor of `bench/dock.mjs`.
 */

/** @param {string} path @returns {Promise<unknown>} */
const built = (path) => import(new URL(`../dist/src/${path}.js`, import.meta.url).href);
const { AppModule } = /** @type {typeof import('../src/app.module.js')} */ (await built('app.module'));
const { SYSTEM } = /** @type {typeof import('../src/kernel/actor.js')} */ (await built('kernel/actor'));
const { createApplication } = /** @type {typeof import('../src/platform/application.js')} */ (
  await built('platform/application')
);
const { Database } = /** @type {typeof import('../src/platform/database/database.js')} */ (
  await built('platform/database/database')
);
const { planned } = /** @type {typeof import('../src/platform/database/sql.js')} */ (
  await built('platform/database/sql')
);
const { rows, write } = /** @type {typeof import('../src/platform/database/statement.js')} */ (
  await built('platform/database/statement')
);
const { defineJob } = /** @type {typeof import('../src/platform/queue/job-definition.js')} */ (
  await built('platform/queue/job-definition')
);
const { HandlesJob, JobHandler } = /** @type {typeof import('../src/platform/queue/job-handler.js')} */ (
  await built('platform/queue/job-handler')
);
const { Jobs } = /** @type {typeof import('../src/platform/queue/jobs.js')} */ (await built('platform/queue/jobs'));

const data = z.object({ id: z.string() });
const measured = defineJob('bench.measured', { queue: 'upkeep', data, attempts: 3 });
const byHand = defineJob('bench.by-hand', { queue: 'upkeep', data, attempts: 3 });

/** @extends {JobHandler<{ id: string }>} */
class Measured extends JobHandler {
  /** @param {import('../src/platform/queue/job-run.js').JobRun<{ id: string }>} job */
  async run(job) {
    const { id } = job.data;
    load.began(id);
    await job.finish((tx) => tx.ask(write(planned`insert into bench_effect (id) values (${id})`)));
    load.ended();
  }
}
HandlesJob(measured)(Measured);

/**
 * Writes the rows of a tool's deployment: it locks and changes the tool and its target, with an audit entry. All is one
 * packet with the end of the job and the commit. A job of the dock that ends within 50 ms writes no progress, so this
 * one writes none.
 * @extends {JobHandler<{ id: string }>}
 */
class ByHand extends JobHandler {
  /** @param {import('../src/platform/queue/job-run.js').JobRun<{ id: string }>} job */
  async run(job) {
    const { id } = job.data;
    await job.finishWith(async (tx) => {
      tx.defer(rows(planned`select id from bench_dock where id = ${id} for update`));
      tx.defer(rows(planned`select id from bench_dock where id = 'target' for update`));
      return [
        write(planned`update bench_dock set state = 'deployed' where id = 'target'`),
        write(planned`update bench_dock set state = 'done' where id = ${id}`),
        write(planned`insert into bench_audit (id, change) values (${id}, 'done')`),
      ];
    });
    load.ended();
  }
}
HandlesJob(byHand)(ByHand);

class Root {}
Module({ imports: [AppModule], providers: [Measured, ByHand] })(Root);

const app = await createApplication(Root);
const database = app.get(Database);
const jobs = app.get(Jobs);
const load = new JobsLoad((id, { isByHand = false }) =>
  database.apart(() => database.transaction(SYSTEM, (tx) => (isByHand ? addByHand(tx, id) : add(tx, id)))),
);
const stop = () => void app.close().then(() => process.exit());
process.once('disconnect', stop).once('SIGTERM', stop);
await app.listen(0, '127.0.0.1');
process.send?.({ type: 'ready', url: await app.getUrl() });

/** @import { Transaction } from '../src/platform/database/transaction.js' */

/**
 * @param {Transaction} tx
 * @param {string} id
 */
async function add(tx, id) {
  await jobs.add(tx, measured, { id }, { projectId: 'p-bench' });
}

/**
 * Adds the job in the lane of its target, which is locked and found free, with an audit entry. The reads are one packet,
 * and the writes another one with the commit.
 * @param {Transaction} tx
 * @param {string} id
 */
async function addByHand(tx, id) {
  await tx.askAll([
    rows(planned`select id from bench_dock where id = 'target' for update`),
    rows(planned`select pg_advisory_xact_lock(hashtextextended('bench', 0))`),
    rows(planned`select id from bench_dock where state = 'begun' limit 1`),
  ]);
  await jobs.add(tx, byHand, { id }, { lane: 'bench', projectId: 'p-bench' });
  tx.defer(write(planned`insert into bench_dock (id, state) values (${id}, 'new')`));
  tx.defer(write(planned`insert into bench_audit (id, change) values (${id}, 'new')`));
}
