import { flag } from './options.mjs';

/**
 * @param {number[]} values
 * @param {number} part 0.5 for the median, 0.99 for the value that one in a hundred exceeds
 */
export function quantile(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? NaN;
}

/** @param {number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2;
}

/**
 * Formats the median of the measured values, and their range.
 * @param {number[]} values
 * @param {number} [digits]
 */
export function spread(values, digits = 0) {
  const text = (/** @type {number} */ value) =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${text(median(values))} [${text(Math.min(...values))}–${text(Math.max(...values))}]`;
}

/**
 * Measures programs in rounds, and returns the figures of each. The first of a round finds the machine in another state
 * than the last, so every other round goes backwards.
 * @template Figure
 * @param {number} rounds
 * @param {(() => Promise<Figure>)[]} measurements one for each program
 */
export async function inRounds(rounds, measurements) {
  const measured = measurements.map((measure) => ({ measure, figures: /** @type {Figure[]} */ ([]) }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { measure, figures } of round % 2 ? measured.toReversed() : measured) figures.push(await measure());
  }
  return measured.map(({ figures }) => figures);
}

/** A program that was idle during the turns of others computes more for its first requests. */
const LEAD_MS = 300;

/**
 * Loads programs in rounds. Each turn begins with load that is not measured.
 * @template Figure
 * @param {number} rounds
 * @param {number} milliseconds
 * @param {((milliseconds: number) => Promise<Figure>)[]} loads one for each program
 */
export function loadInRounds(rounds, milliseconds, loads) {
  const turns = loads.map((load) => async () => {
    await load(LEAD_MS);
    return load(milliseconds);
  });
  return inRounds(rounds, turns);
}

/**
 * Divides pair by pair, because both figures of a round have the same disturbances.
 * @param {number[]} ours
 * @param {number[]} theirs
 */
export function ratiosOf(ours, theirs) {
  return ours.map((each, round) => each / (theirs[round] ?? NaN));
}

/** @param {{ perSecond: number }[]} results */
export function speedsOf(results) {
  return results.map(({ perSecond }) => perSecond);
}

/** The heads of the columns that `percentiles` fills. */
export const PERCENTILES = ['p50', 'p95', 'p99'];

/**
 * Formats what 50, 95 and 99 of 100 requests waited at most. The requests of all rounds are taken together.
 * @param {number[]} waits in milliseconds
 */
export function percentiles(waits) {
  return [0.5, 0.95, 0.99].map((part) => quantile(waits, part).toFixed(1));
}

/**
 * Formats rows of text as a table that is readable in a terminal and in Markdown.
 * @param {string[][]} rows the first row is the head
 */
export function table(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

/** Whether the measurements are short, which shows a large change within minutes. */
export const IS_QUICK = flag('quick');

/**
 * Returns the size of a measurement.
 * @template Size
 * @param {Size} full
 * @param {Size} quick
 */
export function size(full, quick) {
  return IS_QUICK ? quick : full;
}

const WARM_UP_MS = size(3_000, 1_000);
const MOST_WARM_UPS = 20;
const WANTED_REQUESTS = 4_000;

/**
 * Repeats the load until it becomes no faster, and for about as many requests as are wanted. The engine compiles frequent
 * code, which takes some thousands of requests if there is much of it, so it takes longer on a slow machine. Slipway is
 * warmed up last: a process that is idle for ten seconds is cold again, because the engine collects its compiled code.
 * @param {(milliseconds: number) => Promise<number>} load returns how many requests it made a second
 */
export async function warmUp(load) {
  let fastest = 0;
  let requests = 0;
  for (let [time, alike] = [0, 0]; time < MOST_WARM_UPS && (alike < 3 || requests < WANTED_REQUESTS); time += 1) {
    const perSecond = await load(WARM_UP_MS);
    requests += (perSecond * WARM_UP_MS) / 1_000;
    alike = perSecond > fastest * 1.03 ? 0 : alike + 1;
    fastest = Math.max(fastest, perSecond);
  }
}
