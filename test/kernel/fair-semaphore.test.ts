import { FairSemaphore } from '../../src/kernel/fair-semaphore.js';

/** Lets this owner take all slots that it gets at once, and returns their number. */
function takeAll(semaphore: FairSemaphore, owner: string): number {
  let taken = 0;
  while (semaphore.tryAcquire(owner)) taken += 1;
  return taken;
}

it('gives one owner half of the slots, and leaves some for the next', () => {
  const semaphore = new FairSemaphore(8);
  expect(takeAll(semaphore, 'a')).toBe(4);
  expect(takeAll(semaphore, 'b')).toBe(2);
});

it('lets owners take turns, each in the order of its requests', async () => {
  const semaphore = new FairSemaphore(4);
  takeAll(semaphore, 'a');
  takeAll(semaphore, 'b');
  const begun: string[] = [];
  const ask = (owner: string, name: string) => semaphore.acquire(owner).then(() => void begun.push(name));
  const all = [ask('a', 'a1'), ask('a', 'a2'), ask('b', 'b1'), ask('b', 'b2')];
  expect([semaphore.waiting, semaphore.waitingOf('a')]).toEqual([4, 2]);
  // Each slot that becomes free goes to the owner whose turn it is.
  for (const owner of ['a', 'a', 'b', 'a', 'b', 'a', 'b']) {
    semaphore.release(owner);
    await Promise.resolve();
  }
  await Promise.all(all);
  expect(begun.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2']);
  expect(begun.filter((name) => name.startsWith('b'))).toEqual(['b1', 'b2']);
  expect(semaphore.waiting).toBe(0);
});

it('gives no slot to a caller whose wait was aborted', async () => {
  const semaphore = new FairSemaphore(2);
  expect(takeAll(semaphore, 'a')).toBe(1);
  let stop: ((reason: Error) => void) | undefined;
  const waiting = semaphore.acquire('a', (onAbort) => {
    stop = onAbort;
    return () => (stop = undefined);
  });
  const refused = expect(waiting).rejects.toThrow('The client went away');
  stop!(new Error('The client went away'));
  await refused;
  expect([semaphore.waiting, stop]).toEqual([0, undefined]);
  semaphore.release('a');
  expect(semaphore.tryAcquire('a')).toBe(true);
});

it('does not let new work overtake work of the same owner that waits', async () => {
  const semaphore = new FairSemaphore(2);
  semaphore.acquireAnyway('a');
  semaphore.acquireAnyway('a');
  const waiting = semaphore.acquire('a');
  semaphore.release('a');
  expect(semaphore.tryAcquire('a')).toBe(false);
  semaphore.release('a');
  await waiting;
});
