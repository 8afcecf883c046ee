import { Coalesced } from '../../src/kernel/coalesced.js';

it('runs again for the next caller, even if the run before failed at once', async () => {
  let done = 0;
  const work = new Coalesced(() => {
    done += 1;
    if (done === 1) throw new Error('on purpose');
    return Promise.resolve();
  });
  await expect(work.ask()).rejects.toThrow('on purpose');
  expect(work.isWorking).toBe(false);
  await work.ask();
  expect(done).toBe(2);
});

it('runs once more for all callers that ask while it runs', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let done = 0;
  const work = new Coalesced(() => {
    done += 1;
    return promise;
  });
  const first = work.ask();
  await Promise.resolve();
  const others = [work.ask(), work.ask(), work.ask()];
  resolve();
  await Promise.all([first, ...others]);
  expect(done).toBe(2);
});
