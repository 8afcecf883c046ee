import { setTimeout as wait } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { z } from 'zod';
import { AppModule } from '../../src/app.module.js';
import { SYSTEM } from '../../src/kernel/actor.js';
import { Database } from '../../src/platform/database/database.js';
import { defineJob } from '../../src/platform/queue/job-definition.js';
import { HandlesJob, JobHandler } from '../../src/platform/queue/job-handler.js';
import type { JobRun } from '../../src/platform/queue/job-run.js';
import { Jobs } from '../../src/platform/queue/jobs.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';

type Action = 'note' | 'go on' | 'fail' | 'fail once' | 'suspend' | 'suspend often' | 'wait for the signal';
const Data = z.object({ note: z.string(), action: z.string() });
type Data = { note: string; action: string };

const noting = defineJob<Data>('test.noting', { queue: 'upkeep', data: Data, attempts: 3, backoff: () => 0 });

const limited = defineJob<Data>('test.limited', {
  queue: 'upkeep',
  data: Data,
  attempts: 2,
  backoff: () => 0,
  longestSeconds: 0.2,
});

/** More suspensions than the job may have attempts. */
const OFTEN = 5;

/** The notes that handlers saw, in their order. */
const seen: string[] = [];

@HandlesJob(noting)
class Noting extends JobHandler<Data> {
  async run(job: JobRun<Data>): Promise<void> {
    const { note, action } = job.data;
    seen.push(`${note} ${job.attempt}`);
    if (action === 'fail' || (action === 'fail once' && job.attempt === 1)) throw new Error('on purpose');
    if (action === 'suspend' && job.attempt === 1) return job.suspend(new Date(Date.now() + 60_000));
    if (action === 'suspend often' && job.attempt <= OFTEN) return job.suspend(new Date(Date.now() + 60_000));
    if (action === 'wait for the signal') await wait(20_000, undefined, { signal: job.signal });
    await job.finish((tx) => tx.em.execute('insert into noted values (?)', [note]));
    if (action === 'go on') seen.push(`${note} goes on`);
  }

  override async onFailed(_tx: unknown, { note }: Data, reason: string): Promise<void> {
    seen.push(`${note} gave up: ${reason}`);
  }
}

/** Never returns, and does not heed its signal. */
@HandlesJob(limited)
class Hanging extends JobHandler<Data> {
  async run({ data, attempt, signal }: JobRun<Data>): Promise<void> {
    signal.addEventListener('abort', () => seen.push(`${data.note} ${attempt} is aborted`));
    await new Promise(() => undefined);
  }

  override async onFailed(_tx: unknown, { note }: Data, reason: string): Promise<void> {
    seen.push(`${note} gave up: ${reason}`);
  }
}

@Module({ imports: [AppModule], providers: [Noting, Hanging] })
class Root {}

const service = await startService({}, Root);
const jobs = service.app.get(Jobs);
const database = service.app.get(Database);
await service.database.rows('create table noted (note text)');
afterAll(() => service.stop());

function add(note: string, action: Action = 'note', lane?: string): Promise<string> {
  return database.apart(() => database.transaction(SYSTEM, (tx) => jobs.add(tx, noting, { note, action }, { lane })));
}

const inTransaction = <T>(work: Parameters<typeof database.transaction<T>>[1]) =>
  database.apart(() => database.transaction(SYSTEM, work));

async function stateOf(jobId: string): Promise<string | undefined> {
  const rows = await service.database.rows<{ state: string }>('select state from job where id = $1', [jobId]);
  return rows[0]?.state;
}

const becomes = (jobId: string, state: string) =>
  eventually(
    () => stateOf(jobId),
    (now) => now === state,
  );

async function noted(like: string): Promise<string[]> {
  const rows = await service.database.rows<{ note: string }>('select note from noted where note like $1', [like]);
  return rows.map(({ note }) => note);
}

it('runs a job once it is committed, and its effect with it', async () => {
  await becomes(await add('simple'), 'done');
  expect(await noted('simple')).toEqual(['simple']);
});

it('runs no job of a failed transaction', async () => {
  const failed = inTransaction(async (tx) => {
    await jobs.add(tx, noting, { note: 'never', action: 'note' });
    throw new Error('on purpose');
  });
  await expect(failed).rejects.toThrow('on purpose');
  await becomes(await add('after never'), 'done');
  expect(seen.filter((line) => line.startsWith('never'))).toEqual([]);
});

it('keeps the order of a lane, also when one of its jobs needs another attempt', async () => {
  const actions: Action[] = ['note', 'fail once', 'note', 'note'];
  const ids: string[] = [];
  for (const [at, action] of actions.entries()) ids.push(await add(`lane-${at}`, action, 'lane'));
  await becomes(ids.at(-1)!, 'done');
  expect(seen.filter((line) => line.startsWith('lane-'))).toEqual([
    'lane-0 1',
    'lane-1 1',
    'lane-1 2',
    'lane-2 1',
    'lane-3 1',
  ]);
});

it('fails a job after its last attempt, calls its handler, and continues with the lane', async () => {
  const hopeless = await add('hopeless', 'fail', 'second lane');
  const next = await add('next', 'note', 'second lane');
  await becomes(next, 'done');
  expect(await stateOf(hopeless)).toBe('failed');
  expect(seen.filter((line) => line.startsWith('hopeless'))).toEqual([
    'hopeless 1',
    'hopeless 2',
    'hopeless 3',
    'hopeless gave up: on purpose',
  ]);
});

it('ends a job whose place cannot be handed on, and its handler continues', async () => {
  // A job that is queued during the commit is found by one more look afterwards, and here that look fails.
  await service.database.rows(`create function join_the_line() returns trigger language plpgsql as $$ begin
      insert into job (id, name, lane, width, place, data, state, run_at, created_at)
      values ('j-joined', 'test.noting', 'joined', 1, null, '{"note":"joined","action":"note"}', 'queued', now(), now());
      return null; end $$`);
  await service.database.rows(`create function give_no_place() returns trigger language plpgsql as $$ begin
      if new.place is not null then raise exception 'on purpose'; end if; return new; end $$`);
  await service.database.rows(`create constraint trigger joins after insert on noted deferrable initially deferred
      for each row when (new.note = 'left') execute function join_the_line()`);
  await service.database.rows(`create trigger gets_none before update on job
      for each row when (new.id = 'j-joined') execute function give_no_place()`);
  const left = await add('left', 'go on', 'joined');
  await eventually(
    () => Promise.resolve(seen),
    (lines) => lines.includes('left goes on'),
  );
  expect([await stateOf(left), await stateOf('j-joined')]).toEqual(['done', 'queued']);
  await service.database.rows('drop trigger gets_none on job');
  await becomes('j-joined', 'done');
  expect(seen.filter((line) => line.startsWith('left'))).toEqual(['left 1', 'left goes on']);
});

it('keeps the lane of a suspended job, and continues when it is resumed', async () => {
  const suspended = await add('suspended', 'suspend', 'third lane');
  const behind = await add('behind', 'note', 'third lane');
  await becomes(suspended, 'suspended');
  expect(await stateOf(behind)).toBe('queued');
  expect(await inTransaction((tx) => jobs.resume(tx, suspended))).toBe(true);
  await becomes(behind, 'done');
  expect(await stateOf(suspended)).toBe('done');
  expect(await inTransaction((tx) => jobs.resume(tx, suspended))).toBe(false);
});

it('counts no attempt that ends with a suspension', async () => {
  const suspended = await add('often', 'suspend often');
  for (let time = 0; time < OFTEN; time += 1) {
    await becomes(suspended, 'suspended');
    await inTransaction((tx) => jobs.resume(tx, suspended));
    await eventually(
      () => seen,
      (lines) => lines.includes(`often ${time + 2}`),
    );
  }
  await becomes(suspended, 'done');
});

it('ends a suspension that has lasted too long', async () => {
  const suspended = await add('forgotten', 'suspend');
  await becomes(suspended, 'suspended');
  await service.database.rows('update job set run_at = now() where id = $1', [suspended]);
  await becomes(suspended, 'done');
});

it('aborts the signal of a cancelled job, and commits nothing of it any more', async () => {
  const running = await add('endless', 'wait for the signal');
  await becomes(running, 'running');
  expect(await inTransaction((tx) => jobs.cancel(tx, running, 'cancelled on purpose'))).toBe(true);
  expect(await stateOf(running)).toBe('failed');
  await becomes(await add('after endless'), 'done');
  expect(await noted('endless')).toEqual([]);
});

it('stops waiting for a handler that takes longer than its job may, and fails the job after its last attempt', async () => {
  const id = await inTransaction((tx) => jobs.add(tx, limited, { note: 'hanging', action: 'note' }));
  await eventually(async () => (await stateOf(id)) === 'failed');
  const tooLong = 'The attempt took longer than 0.2 seconds';
  expect(seen.filter((note) => note.startsWith('hanging'))).toEqual([
    'hanging 1 is aborted',
    'hanging 2 is aborted',
    `hanging gave up: ${tooLong}`,
  ]);
});

it('reclaims a job from a process without a heartbeat', async () => {
  await service.database.rows(
    `insert into job (id, name, lane, place, data, state, run_at, attempt, lease_until, created_at)
     values ('j-orphan', 'test.noting', 'orphan', 1, '{"note":"orphan","action":"note"}', 'running', now(), 1,
             now() - interval '1 second', now())`,
  );
  await becomes('j-orphan', 'done');
  expect(seen).toContain('orphan 2');
});

it('never runs two jobs of a lane at once, whichever process claims them', async () => {
  await service.database.rows(
    `insert into job (id, name, lane, place, data, state, run_at, lease_until, created_at)
     values ('j-first', 'test.noting', 'taken', 1, '{}', 'running', now(), now() + interval '1 minute', now())`,
  );
  const second = service.database.rows(
    `insert into job (id, name, lane, place, data, state, run_at, lease_until, created_at)
     values ('j-second', 'test.noting', 'taken', 1, '{}', 'running', now(), now() + interval '1 minute', now())`,
  );
  await expect(second).rejects.toThrow('job_place');
});
