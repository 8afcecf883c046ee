import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { StartError } from '../start-error.mjs';

/**
 * Returns the setting for the configuration that `npm start -- --config FILE` names. A relative path begins in the
 * folder in which the command was given, which npm leaves.
 * @param {string[]} given
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ SLIPWAY_CONFIG?: string }}
 */
export function configFile(given, env) {
  const config = optionIn(given) ?? env.SLIPWAY_CONFIG;
  if (!config) return {};
  const file = resolve(env.INIT_CWD ?? '.', config);
  if (!existsSync(file)) throw new StartError(`There is no file ${file}. Correct --config or SLIPWAY_CONFIG.`);
  return { SLIPWAY_CONFIG: file };
}

/** @param {string[]} given */
function optionIn(given) {
  try {
    return parseArgs({ args: given, options: { config: { type: 'string' } } }).values.config;
  } catch (error) {
    throw new StartError(`${/** @type {Error} */ (error).message}. The only option is --config FILE.`);
  }
}
