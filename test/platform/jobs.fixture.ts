import { Module } from '@nestjs/common';
import { z } from 'zod';
import { AppModule } from '../../src/app.module.js';
import { SYSTEM } from '../../src/kernel/actor.js';
import { Database } from '../../src/platform/database/database.js';
import { defineJob, type JobDefinition } from '../../src/platform/queue/job-definition.js';
import { HandlesJob, JobHandler } from '../../src/platform/queue/job-handler.js';
import type { JobRun } from '../../src/platform/queue/job-run.js';
import { Jobs } from '../../src/platform/queue/jobs.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import type { SettingsOfTest } from '../support/settings.js';

export type Step = { note: string };
const Data = z.object({ note: z.string() });

export const inOrder = defineJob<Step>('test.in-order', { queue: 'upkeep', data: Data, attempts: 2, backoff: () => 0 });
export const inParallel = defineJob<Step>('test.in-parallel', {
  queue: 'upkeep',
  data: Data,
  attempts: 2,
  backoff: () => 3_600,
  width: 3,
});

export const ofDock = defineJob<Step>('test.of-dock', { queue: 'dock', data: Data, attempts: 2, backoff: () => 0 });
export const ofTurns = defineJob<Step>('test.of-turns', { queue: 'turns', data: Data, attempts: 2, backoff: () => 0 });

interface Begun {
  note: string;
  signal: AbortSignal;
  /** Ends the job successfully; `fail` ends it with an error, and `suspend` suspends it for an hour. */
  finish: () => void;
  fail: () => void;
  suspend: () => void;
}

/** The jobs that have begun and wait for the test to end them, by their notes. */
export const begun = new Map<string, Begun>();
/** The events so far, in order. */
export const events: string[] = [];
/** Decides by a job's note whether it ends by itself. */
export const quick = { is: (_note: string) => false };

abstract class EndedByTest extends JobHandler<Step> {
  async run(job: JobRun<Step>): Promise<void> {
    const { note } = job.data;
    events.push(`${note} begins`);
    const isSuspended = !quick.is(note) && (await held(note, job.signal));
    if (isSuspended) return job.suspend(new Date(Date.now() + 3_600_000));
    await job.finish(async () => events.push(`${note} ends`));
  }

  override async onFailed(_tx: unknown, { note }: Step, reason: string): Promise<void> {
    events.push(`${note} is given up: ${reason}`);
  }
}

/** Resolves with whether the test suspends the job. */
async function held(note: string, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const end = (how: () => void) => () => {
    begun.delete(note);
    how();
  };
  const fail = end(() => reject(new Error('on purpose')));
  const [finish, suspend] = [end(() => resolve(false)), end(() => resolve(true))];
  begun.set(note, { note, signal, finish, fail, suspend });
  signal.addEventListener('abort', fail, { once: true });
  return promise;
}

@HandlesJob(inOrder)
class InOrder extends EndedByTest {}

@HandlesJob(inParallel)
class InParallel extends EndedByTest {}

@HandlesJob(ofDock)
class OfDock extends EndedByTest {}

@HandlesJob(ofTurns)
class OfTurns extends EndedByTest {}

@Module({ imports: [AppModule], providers: [InOrder, InParallel, OfDock, OfTurns] })
export class Root {}

/** Starts a service in this process whose jobs begin and end when the test says so. */
export async function startJobs(settings: SettingsOfTest = {}, root = Root) {
  const service = await startService(settings, root);
  const jobs = service.app.get(Jobs);
  const database = service.app.get(Database);
  const inTransaction = <T>(work: Parameters<typeof database.transaction<T>>[1]) =>
    database.apart(() => database.transaction(SYSTEM, work));
  const stateOf = async (jobId: string) => {
    const [row] = await service.database.rows<{ state: string }>('select state from job where id = $1', [jobId]);
    return row?.state;
  };
  return {
    service,
    jobs,
    inTransaction,
    stateOf,
    add: (note: string, options: Parameters<typeof jobs.add>[3] = {}, job: JobDefinition<Step> = inOrder) =>
      inTransaction((tx) => jobs.add(tx, job, { note }, options)),
    becomes: (jobId: string, state: string) =>
      eventually(
        () => stateOf(jobId),
        (now) => now === state,
      ),
    stop: async () => {
      for (const { finish } of begun.values()) finish();
      await service.stop();
    },
  };
}

export async function untilBegun(note: string): Promise<Begun> {
  return (await eventually(() => begun.get(note)))!;
}
