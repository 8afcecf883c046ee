import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StartError } from '../../kernel/start-error.js';

/** Reads `slipway.config.ts`, or a configuration that is compiled already. */
export async function readConfigFile(path: string): Promise<unknown> {
  const file = resolve(path);
  const loaded = await load(file);
  if (loaded.default === undefined) throw new StartError(`${file} must export a configuration by default.`);
  return loaded.default;
}

async function load(file: string): Promise<{ default?: unknown }> {
  try {
    return (await import(pathToFileURL(file).href)) as { default?: unknown };
  } catch (error) {
    throw new StartError(`The configuration ${file} cannot be loaded: ${(error as Error).message}`, { cause: error });
  }
}
