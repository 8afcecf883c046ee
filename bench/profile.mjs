import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { table } from './measure.mjs';
import { flag } from './options.mjs';

/** Whether the services are profiled, which slows them down. */
export const IS_PROFILING = flag('profile');

/** A sample every 400 µs. With more of them, the profiler itself would be a large part. */
const INTERVAL_US = 400;
const MOST_PARTS = 14;
const NOT_COMPUTING = new Set(['(idle)', '(program)', '(root)']);
const OF_MAIN_THREAD = /\.0\.\d+\.cpuprofile$/;
/** Functions of Node that write to a socket. The kernel may let the receiver run before they return. */
const WRITING = new Set(['writev', 'writeUtf8String', 'writeBuffer', 'writeString', 'writeLatin1String']);

/**
 * @typedef {{ functionName: string, url: string }} Place
 * @typedef {{ id: number, callFrame: Place }} Node
 * @typedef {{ startTime: number, nodes: Node[], samples: number[], timeDeltas: number[] }} Profile
 */

/**
 * Returns the options of Node with which a program leaves its profile in the folder when it ends.
 * @param {string} folder
 */
export function profilingInto(folder) {
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${INTERVAL_US}`];
}

/**
 * Prints which parts of a program computed, from the moment at which it was ready.
 * @param {string} folder
 * @param {number} readyAt in microseconds of the monotonic clock
 */
export function printProfile(folder, readyAt) {
  for (const name of readdirSync(folder).filter((each) => OF_MAIN_THREAD.test(each))) {
    /** @type {unknown} */
    const content = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const spent = [...spentBy(/** @type {Profile} */ (content), readyAt)].sort(([, a], [, b]) => b - a);
    const all = spent.reduce((sum, [, time]) => sum + time, 0);
    const rows = spent.slice(0, MOST_PARTS).map(([part, time]) => [part, `${((100 * time) / all).toFixed(1)} %`]);
    console.log(table([['the service computed in', 'of its time'], ...rows]));
  }
}

/**
 * @param {Profile} profile
 * @param {number} readyAt
 */
function spentBy({ startTime, nodes, samples, timeDeltas }, readyAt) {
  const parts = new Map(nodes.map(({ id, callFrame }) => [id, partOf(callFrame)]));
  /** @type {Map<string, number>} */
  const spent = new Map();
  let now = startTime;
  for (const [at, id] of samples.entries()) {
    const delta = timeDeltas[at] ?? 0;
    now += delta;
    const part = parts.get(id);
    if (now > readyAt && part !== undefined) spent.set(part, (spent.get(part) ?? 0) + delta);
  }
  return spent;
}

/**
 * Returns undefined if the program does not compute.
 * @param {Place} place
 */
function partOf({ functionName, url }) {
  if (NOT_COMPUTING.has(functionName)) return undefined;
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (WRITING.has(functionName)) return 'writes to sockets';
  const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)(?!.*node_modules)/.exec(url) ?? [];
  if (name !== undefined) return name;
  return url.startsWith('file:') ? 'Slipway' : 'Node';
}
