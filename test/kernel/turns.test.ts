import { stat } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { giveWay, giveWayAfterStep, mapInSteps } from '../../src/kernel/turns.js';

/** Computes for the given time. */
function compute(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

it('maps items in their order, and serves others after each step', async () => {
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turns += 1) await nextTurn();
  })();
  const mapped = await mapInSteps([1, 2, 3, 4, 5], (item) => {
    compute(11);
    return item * 2;
  });
  isOver = true;
  await others;
  expect(mapped).toEqual([2, 4, 6, 8, 10]);
  expect(turns).toBeGreaterThanOrEqual(5);
});

it('serves a request that waits for something in between before the next steps', async () => {
  const TURNS = 10;
  let steps = 0;
  const work = mapInSteps(Array(40).fill(11), (ms: number) => {
    steps += 1;
    compute(ms);
  });
  const before = steps;
  for (let turn = 0; turn < TURNS; turn += 1) {
    await stat('.');
    compute(0.5);
  }
  // If each of its turns waited for a step, there would be as many.
  expect(steps - before).toBeLessThanOrEqual(TURNS / 2);
  await work;
});

it('lets those who wait continue one in each turn of the event loop', async () => {
  let turn = 0;
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turn += 1) await nextTurn();
  })();
  const continuedIn = await Promise.all(
    Array.from({ length: 4 }, async () => {
      await giveWay();
      return turn;
    }),
  );
  isOver = true;
  await others;
  expect(new Set(continuedIn).size).toBe(4);
});

it('gives way to others after the parts of a turn have taken as long as a step together', async () => {
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turns += 1) await nextTurn();
  })();
  const stream = async () => {
    for (let part = 0; part < 4; part += 1) {
      compute(6);
      await giveWayAfterStep();
    }
  };
  await Promise.all([stream(), stream()]);
  isOver = true;
  await others;
  expect(turns).toBeGreaterThanOrEqual(3);
});
