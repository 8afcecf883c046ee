import { realpath } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CONFIGURATION } from '../../kernel/owners.js';
import { StartError } from '../../kernel/start-error.js';
import { loadFor } from './loading.js';
import { serveModules } from './served-modules.js';
import { compileTypescript } from './typescript-compiler.js';

const TYPESCRIPT = ['.ts', '.mts'];
const JAVASCRIPT = ['.js', '.mjs', '.cjs'];

/** Reads `slipway.config.ts` as it stands, or a configuration that is compiled already. */
export async function readConfigFile(path: string): Promise<unknown> {
  const file = await realPathOf(resolve(path));
  const loaded = await load(file);
  if (loaded.default === undefined) throw new StartError(`${file} must export a configuration by default.`);
  return loaded.default;
}

/** Node imports the file to which a link leads, so that is the one to compile. */
async function realPathOf(file: string): Promise<string> {
  return realpath(file).catch((error: Error) => {
    throw new StartError(`The configuration ${file} cannot be loaded: ${error.message}`, { cause: error });
  });
}

async function load(file: string): Promise<{ default?: unknown }> {
  const type = extname(file);
  if (![...TYPESCRIPT, ...JAVASCRIPT].includes(type))
    throw new StartError(
      `The configuration ${file} must be TypeScript or JavaScript, and end with .ts, .mts, .js or .mjs.`,
    );
  if (TYPESCRIPT.includes(type)) serveModules(await compileTypescript(file));
  try {
    return await loadFor(CONFIGURATION, () => import(pathToFileURL(file).href) as Promise<{ default?: unknown }>);
  } catch (error) {
    throw new StartError(`The configuration ${file} cannot be loaded: ${(error as Error).message}`, { cause: error });
  }
}
