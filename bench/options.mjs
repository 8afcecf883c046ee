import { parseArgs } from 'node:util';
import { StartError } from '../scripts/start-error.mjs';

const NUMBERS = ['rows', 'projects', 'gib', 'waiting', 'messages'];
const FLAGS = ['quick', 'profile', 'write'];

const asText = /** @type {const} */ ({ type: 'string' });
const asFlag = /** @type {const} */ ({ type: 'boolean' });
const options = {
  database: asText,
  ...Object.fromEntries(NUMBERS.map((name) => [name, asText])),
  ...Object.fromEntries(FLAGS.map((name) => [name, asFlag])),
};

const { values, positionals } = given();

/** The names of the benchmarks to run. */
export const NAMES = positionals;

/** Whether the option is given, such as `--quick`. @param {string} name */
export function flag(name) {
  return values[name] === true;
}

/** Reads a text, such as `--database postgresql://…`. @param {string} name */
export function textOption(name) {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/**
 * Reads a number, such as `--rows 200000`.
 * @template {number | undefined} Fallback
 * @param {string} name
 * @param {Fallback} fallback
 * @returns {number | Fallback}
 */
export function option(name, fallback) {
  const text = textOption(name);
  if (text === undefined) return fallback;
  if (!(Number(text) > 0)) throw new StartError(`--${name} is a number above 0, and not ${text}.`);
  return Number(text);
}

/** @returns {{ values: Record<string, string | boolean | undefined>, positionals: string[] }} */
function given() {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    console.error(/** @type {Error} */ (error).message);
    return process.exit(2);
  }
}
