import { availableParallelism } from 'node:os';
import { ComputePool } from '../../src/platform/compute/compute-pool.js';
import {
  ComputeBudget,
  ComputeFailure,
  computeTask,
  type ComputeOptions,
} from '../../src/platform/compute/compute-task.js';
import type { Busy } from './busy.thread.js';

const task = computeTask<Busy, string>('busy', import.meta.url);
const pool = new ComputePool();
afterAll(() => pool.onApplicationShutdown());

const run = (ask: Busy, options: Partial<ComputeOptions> = {}) =>
  pool.run(task, ask, { projectId: 'p-1', ms: 500, ...options });
const faultOf = async (answer: Promise<string>) => {
  const error = await answer.then(
    (text) => new Error(`It answered ${text}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ComputeFailure)) throw error as Error;
  return error.fault;
};

it('returns the answer of the program', async () => {
  expect(await run({ does: 'echo', text: 'hello' })).toBe('hello');
});

it.each(['loop', 'sort', 'regularExpression', 'promises'] as const)(
  'terminates a program that does not end: %s',
  async (does) => {
    expect(await faultOf(run({ does }))).toBe('time');
    expect(await run({ does: 'echo', text: 'again' })).toBe('again');
  },
);

it('terminates a program that takes all memory', async () => {
  expect(await faultOf(run({ does: 'eat' }, { ms: 60_000 }))).toBe('memory');
  expect(await run({ does: 'echo', text: 'again' })).toBe('again');
});

it('passes on the error that a faulty program threw, and continues', async () => {
  await expect(run({ does: 'throw' })).rejects.toThrow('no such thing');
  expect(await run({ does: 'echo', text: 'again' })).toBe('again');
});

it('continues when the caller leaves while the thread still loads the program', async () => {
  const fresh = new ComputePool();
  const options = { projectId: 'p-1', ms: 500 };
  for (let times = 0; times < 10; times += 1) {
    const signal = AbortSignal.timeout(times);
    await fresh.run(task, { does: 'loop' }, { ...options, signal }).catch(() => undefined);
  }
  expect(await fresh.run(task, { does: 'echo', text: 'again' }, options)).toBe('again');
  await fresh.onApplicationShutdown();
});

it('deducts processor time from a budget, and computes no more than the rest allows', async () => {
  const budget = new ComputeBudget(500);
  await run({ does: 'compute', ms: 100 }, { budget });
  expect(budget.spentMs).toBeGreaterThanOrEqual(90);
  expect(await faultOf(run({ does: 'loop' }, { budget }))).toBe('budget');
  expect(await faultOf(run({ does: 'echo', text: 'more' }, { budget }))).toBe('budget');
});

it('leaves a thread for the next project, while endless programs of one project use its whole share', async () => {
  const gone = new AbortController();
  const endless = Array.from({ length: 50 }, () => run({ does: 'loop' }, { ms: 60_000, signal: gone.signal }));
  const all = Promise.allSettled(endless);
  for (const projectId of ['p-2', 'p-3']) {
    const others = run({ does: 'loop' }, { projectId, ms: 60_000, signal: gone.signal });
    others.catch(() => undefined);
    expect(await run({ does: 'echo', text: projectId }, { projectId: `${projectId}-next` })).toBe(projectId);
  }
  gone.abort(new Error('Nobody waits'));
  expect((await all).map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 'rejected'));
  expect(await run({ does: 'echo', text: 'again' })).toBe('again');
});

it('counts terminated work among that of its project until its thread has ended', async () => {
  const fresh = new ComputePool();
  const options = { projectId: 'p-1', ms: 10 };
  const begun = performance.now();
  const share = Math.floor(Math.max(6, availableParallelism()) / 2);
  const asleep = Array.from({ length: share }, () => fresh.run(task, { does: 'sleep', seconds: 2 }, options));
  expect(await Promise.all(asleep.map(faultOf))).toEqual(asleep.map(() => 'time'));
  await fresh.run(task, { does: 'echo', text: 'next' }, { ...options, ms: 5_000 });
  expect(performance.now() - begun).toBeGreaterThanOrEqual(2_000);
  await fresh.onApplicationShutdown();
});

it('refuses callers that occupy what others need if many already wait', async () => {
  const gone = new AbortController();
  const options = { ms: 60_000, signal: gone.signal, mostWaiting: 3 };
  const all = await Promise.race([
    Promise.allSettled(Array.from({ length: 100 }, () => run({ does: 'loop' }, options))),
    run({ does: 'loop' }, options).catch((error: Error) => error),
  ]);
  gone.abort(new Error('Nobody waits'));
  expect(all).toMatchObject({ spec: { code: 'COMPUTE_BUSY' } });
});
