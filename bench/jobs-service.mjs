import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { z } from 'zod';
import { quantile } from './measure.mjs';

/**
 * What `bench/jobs.mjs` measures: the service with one job more, which accepts and does so many in its own process, as
 * the floor does.
 */

/** @import { Order, Result } from './jobs-floor.mjs' */

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
const { Statements } = /** @type {typeof import('../src/platform/database/statements.js')} */ (
  await built('platform/database/statements')
);
const { defineJob } = /** @type {typeof import('../src/platform/queue/job-definition.js')} */ (
  await built('platform/queue/job-definition')
);
const { HandlesJob, JobHandler } = /** @type {typeof import('../src/platform/queue/job-handler.js')} */ (
  await built('platform/queue/job-handler')
);
const { Jobs } = /** @type {typeof import('../src/platform/queue/jobs.js')} */ (await built('platform/queue/jobs'));

const measured = defineJob('bench.measured', { data: z.object({ id: z.string() }), attempts: 3 });

/** @type {Map<string, number>} */
const committedAt = new Map();
/** @type {number[]} */
const pickUps = [];
let left = 0;
let allDone = () => {};

/** @extends {JobHandler<{ id: string }>} */
class Measured extends JobHandler {
  /** @param {import('../src/platform/queue/job-run.js').JobRun<{ id: string }>} job */
  async run(job) {
    const { id } = job.data;
    const committed = committedAt.get(id);
    pickUps.push(committed === undefined ? 0 : performance.now() - committed);
    await job.finish((em) => statements.runIn(em, planned`insert into bench_effect (id) values (${id})`));
    left -= 1;
    if (left === 0) allDone();
  }
}
HandlesJob(measured)(Measured);

class Root {}
Module({ imports: [AppModule], providers: [Measured] })(Root);

const app = await createApplication(Root);
const database = app.get(Database);
const jobs = app.get(Jobs);
const statements = app.get(Statements);
process.on('message', (/** @type {Order} */ order) => void run(order).then((result) => process.send?.(result)));
const stop = () => void app.close().then(() => process.exit());
process.once('disconnect', stop).once('SIGTERM', stop);
await app.listen(0, '127.0.0.1');
process.send?.({ type: 'ready', url: await app.getUrl() });

/**
 * @param {Order} order
 * @returns {Promise<Result>}
 */
async function run({ jobs: count, clients }) {
  committedAt.clear();
  pickUps.length = 0;
  left = count;
  const done = new Promise((resolve) => (allDone = () => resolve(undefined)));
  const begun = performance.now();
  let accepted = 0;
  const accept = async () => {
    while (accepted < count) {
      const id = `wish-${accepted}`;
      accepted += 1;
      const commit = () =>
        database.transaction(SYSTEM, (em) => jobs.add(em, measured, { id }, { projectId: 'p-bench' }));
      await database.apart(commit);
      committedAt.set(id, performance.now());
    }
  };
  await Promise.all(Array.from({ length: clients }, accept));
  await done;
  const seconds = (performance.now() - begun) / 1000;
  return { perSecond: count / seconds, p50: quantile(pickUps, 0.5), p99: quantile(pickUps, 0.99) };
}
