import { fileURLToPath } from 'node:url';
import { delimiter, join } from 'node:path';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** @param {string[]} names */
export function inProject(...names) {
  return join(root, ...names);
}

/**
 * The environment for an npm inside an npm script: the user's own settings stay, those that describe the script that
 * runs now do not; and node_modules/.bin leaves the path, since an install removes the node in it while it runs.
 * @returns {NodeJS.ProcessEnv}
 */
export function nestedNpmEnvironment() {
  const names =
    /^(npm_(?!config_)|npm_config_(local_prefix|global_prefix|global|npm_version|node_gyp|user_agent)$|INIT_CWD$|NODE$)/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !names.test(name)));
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return { ...env, PATH: folders.join(delimiter) };
}
