import './platform/config/required-node.js';
import './platform/memory/no-pretenuring.js';
import 'reflect-metadata';
import type { SlipwayConfig } from './platform/plugins/plugin.js';
import { rootModuleOf } from './root-module.js';
import { run } from './run.js';

/**
 * Runs the service with plugins as this process, until a signal stops it. The settings are in the environment. If it
 * cannot start, the process ends with a sentence that says why.
 */
export function start(config: SlipwayConfig): Promise<void> {
  return run(rootModuleOf(config));
}
