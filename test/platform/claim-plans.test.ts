import { QUEUES } from '../../src/kernel/queues.js';
import { sql } from '../../src/platform/database/sql.js';
import { rows, type Statement } from '../../src/platform/database/statement.js';
import type { Statements } from '../../src/platform/database/statements.js';
import { claim } from '../../src/platform/queue/claim.statement.js';
import { look } from '../../src/platform/queue/look.statement.js';
import { WORKER_STATEMENTS } from '../../src/platform/queue/worker-statements.js';
import { startService } from '../support/service.js';

// The process answers requests only, so that the test makes all claims.
const service = await startService({ SLIPWAY_ROLE: 'api' });
afterAll(() => service.stop());

const worker = service.app.get<Statements>(WORKER_STATEMENTS);
const SLOTS = 16;
const PROJECTS = 50;
const JOBS = 20_000;

/** Asks on both connections of the worker, because each of them has plans of its own. */
const onBoth = <T>(statement: Statement<T>) => Promise.all([worker.ask(statement), worker.ask(statement)]);
const claimed = () =>
  worker.ask(
    claim({
      left: SLOTS,
      running: new Map([['busy', 3]]),
      queues: new Map(QUEUES.map((queue) => [queue, Infinity])),
    }),
  );

/** Counts the rows of jobs that were read so far. Each connection first reports what it has read. */
async function rowsRead(): Promise<number> {
  await onBoth(rows(sql`select pg_stat_force_next_flush()`));
  const [found] = await service.database.rows<{ count: number }>(
    `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as count from pg_stat_user_tables where relname = 'job'`,
  );
  return found!.count;
}

it.each([
  ['none', 0],
  ['a hundred that were done', 100],
])('reads few of many jobs when a worker claims, although there were %s when it began', async (_what, before) => {
  await service.database.rows('delete from job');
  await service.database.rows(
    `insert into job (id, name, lane, data, state, run_at, created_at)
     select 'j-' || n, 'done', 'j-' || n, '{}', 'done', now(), now() from generate_series(1, $1::integer) as n`,
    [before],
  );
  await service.database.rows('vacuum analyze job');
  for (let time = 0; time < 8; time += 1) {
    await Promise.all([claimed(), claimed()]);
    await onBoth(look(QUEUES));
  }
  await service.database.rows(
    `insert into job (id, name, project_id, lane, place, data, state, run_at, created_at)
     select 'j-new' || n, 'new', 'p-' || n % $1, 'j-new' || n, 1, '{}', 'queued', now(), now()
     from generate_series(1, $2::integer) as n`,
    [PROJECTS, JOBS],
  );
  const earlier = await rowsRead();
  expect(await claimed()).toHaveLength(SLOTS);
  expect(await worker.ask(look(QUEUES))).toMatchObject({ hasDue: true });
  expect((await rowsRead()) - earlier).toBeLessThan(JOBS / 10);
});
