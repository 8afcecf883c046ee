import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../project.mjs';
import { StartError } from '../start-error.mjs';

/**
 * Reads the options of the command. A relative path begins in the folder in which the command was given, which npm
 * leaves.
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ configFile?: string, folder: string, isCheck: boolean }} `folder` is the one of the documents
 */
export function documentOptions(args, env) {
  const options = /** @type {const} */ ({
    config: { type: 'string' },
    out: { type: 'string' },
    check: { type: 'boolean', default: false },
  });
  const { config, out, check: isCheck } = parseArgs({ args, options }).values;
  if (!config) {
    if (out)
      throw new StartError('--out needs --config FILE, because the documents of Slipway alone have their places.');
    return { folder: root, isCheck };
  }
  const from = env.INIT_CWD ?? '.';
  const configFile = resolve(from, config);
  return { configFile, folder: out ? resolve(from, out) : join(dirname(configFile), 'docs'), isCheck };
}
