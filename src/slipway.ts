import './platform/config/required-node.js';
import './platform/memory/no-pretenuring.js';
import 'reflect-metadata';
import type { SlipwayConfig } from './platform/plugins/plugin.js';
import { rootModuleBy, rootModuleOf } from './root-module.js';
import { run } from './run.js';

/**
 * Runs the service with plugins as this process, until a signal stops it. The settings are in the environment. If it
 * cannot start, the process ends with a sentence that says why.
 */
export function start(config: SlipwayConfig): Promise<void>;
/** Loads the configuration by this function first, so that an error of its files ends the process with a sentence, too. */
export function start(load: () => Promise<{ default: SlipwayConfig }>): Promise<void>;
export function start(config: SlipwayConfig | (() => Promise<{ default: SlipwayConfig }>)): Promise<void> {
  return run(typeof config === 'function' ? rootModuleBy(config) : rootModuleOf(config));
}
