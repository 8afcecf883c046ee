import { fileURLToPath } from 'node:url';
import { delimiter, join } from 'node:path';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** @param {string[]} names */
export function inProject(...names) {
  return join(root, ...names);
}

/**
 * Makes the environment for an npm inside an npm script. It keeps the user's own settings and leaves out those that
 * describe the running script. `node_modules/.bin` is taken from the path, because an install removes the `node` in it
 * while it runs.
 * @returns {NodeJS.ProcessEnv}
 */
export function nestedNpmEnvironment() {
  const names =
    /^(npm_(?!config_)|npm_config_(local_prefix|global_prefix|global|npm_version|node_gyp|user_agent)$|INIT_CWD$|NODE$)/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !names.test(name)));
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return { ...env, PATH: folders.join(delimiter) };
}
