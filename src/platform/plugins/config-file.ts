import { realpath } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CONFIGURATION } from '../../kernel/owners.js';
import { StartError } from '../../kernel/start-error.js';
import { packageVersion } from '../config/project-file.js';
import { loadFor } from './loading.js';
import { serveModules } from './served-modules.js';
import { compileTypescript } from './typescript-compiler.js';

const TYPESCRIPT = ['.ts', '.mts'];
const JAVASCRIPT = ['.js', '.mjs', '.cjs'];

/** Reads `slipway.config.ts` as it stands, or a configuration that is compiled already. */
export async function readConfigFile(path: string): Promise<unknown> {
  const file = await realPathOf(resolve(path));
  const type = extname(file);
  if (![...TYPESCRIPT, ...JAVASCRIPT].includes(type))
    throw new StartError(
      `The configuration ${file} must be TypeScript or JavaScript, and end with .ts, .mts, .js or .mjs.`,
    );
  if (TYPESCRIPT.includes(type)) serveModules(await compileTypescript(file));
  return loadConfig(() => import(pathToFileURL(file).href) as Promise<ConfigModule>, file);
}

/** Node imports the file to which a link leads, so that is the one to compile. */
async function realPathOf(file: string): Promise<string> {
  return realpath(file).catch((error: Error) => {
    throw new StartError(`The configuration ${file} cannot be loaded: ${error.message}`, { cause: error });
  });
}

/** The exports of the file of a configuration. */
export interface ConfigModule<Config = unknown> {
  readonly default?: Config;
}

/** Returns the configuration that a file exports. Only a function that imports it may know its name. */
export async function loadConfig(load: () => Promise<ConfigModule>, file?: string): Promise<unknown> {
  const loaded = await loadFor(CONFIGURATION, load).catch((error: unknown) => {
    const named = file ? `The configuration ${file}` : 'The configuration';
    throw new StartError(`${named} cannot be loaded: ${reasonOf(error)}`, { cause: error });
  });
  if (loaded.default === undefined)
    throw new StartError(`${file ?? 'The file of the configuration'} must export a configuration by default.`);
  return loaded.default;
}

/** Returns why modules cannot be loaded. A plugin for a newer Slipway may import what this one lacks. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message } = error;
  const isMissing = /'slipway(\/\w+)?' does not provide an export/.test(message);
  return isMissing ? `${message}. Does it need a newer Slipway than ${packageVersion()}?` : message;
}
