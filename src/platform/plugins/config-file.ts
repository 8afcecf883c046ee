import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StartError } from '../../kernel/start-error.js';
import { checkedConfig } from './plugin-rules.js';
import type { SlipwayConfig } from './plugin.js';

/** Reads `slipway.config.ts`, or a configuration that is compiled already. */
export async function readConfigFile(path: string): Promise<SlipwayConfig> {
  const file = resolve(path);
  const loaded = await load(file);
  return checkedConfig(loaded.default, file);
}

async function load(file: string): Promise<{ default?: unknown }> {
  try {
    return (await import(pathToFileURL(file).href)) as { default?: unknown };
  } catch (error) {
    throw new StartError(`The configuration ${file} cannot be loaded: ${(error as Error).message}`, { cause: error });
  }
}
