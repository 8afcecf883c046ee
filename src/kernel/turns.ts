import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** The time for which many items are computed before others are served. */
const STEP_MS = 10;
/** A request of others computes for longer than this in one turn. */
const IS_SERVED_MS = 0.2;

let last: Promise<void> = Promise.resolve();

/**
 * Serves all others before the next step of long work. Each call continues one of those that wait, because the long steps
 * of several at once would keep the others waiting as long as one step without pauses.
 */
export function giveWay(): Promise<void> {
  last = last.then(serveOthers);
  return last;
}

/**
 * Waits for a turn of the event loop. If others computed in it, it waits until they have nothing to compute, but no longer
 * than a step. A small request takes several turns, because it waits for PostgreSQL and Redis in between, and without this
 * each of them would wait for a step.
 */
async function serveOthers(): Promise<void> {
  const end = performance.now() + STEP_MS;
  let before = performance.eventLoopUtilization();
  await nextTurn();
  while (performance.eventLoopUtilization(before).active > IS_SERVED_MS && performance.now() < end) {
    before = performance.eventLoopUtilization();
    await pause(1);
  }
}

/** The time at which `giveWayAfterStep` was first called in this turn of the event loop. */
let stepSince: number | undefined;

/**
 * Gives way if a whole step has passed since it was first called in this turn of the event loop. Streams call it for
 * each part that arrives. One part costs little, but hundreds may arrive in one turn, and others would wait for them all.
 */
export async function giveWayAfterStep(): Promise<void> {
  if (stepSince === undefined) {
    stepSince = performance.now();
    setImmediate(() => (stepSince = undefined));
  }
  if (performance.now() - stepSince >= STEP_MS) await giveWay();
}

/** Uses items whose number a client decides, and gives way whenever that has taken a while. */
export async function forEachInSteps<T>(items: Iterable<T>, use: (item: T) => void): Promise<void> {
  let since = performance.now();
  for (const item of items) {
    use(item);
    if (performance.now() - since < STEP_MS) continue;
    await giveWay();
    since = performance.now();
  }
}

/** Maps items whose number a client decides, and gives way whenever that has taken a while. */
export async function mapInSteps<T, R>(items: Iterable<T>, map: (item: T) => R): Promise<R[]> {
  const mapped: R[] = [];
  await forEachInSteps(items, (item) => mapped.push(map(item)));
  return mapped;
}
