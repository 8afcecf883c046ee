import './platform/config/required-node.js';
import './platform/memory/no-pretenuring.js';
import 'reflect-metadata';
import { configuredFile } from './platform/config/config.module.js';
import { rootModule } from './root-module.js';
import { run } from './run.js';

await run(rootModule(configuredFile()));
