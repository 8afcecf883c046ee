import './platform/config/required-node.js';
import 'reflect-metadata';
import { configuredFile } from './platform/config/config.module.js';
import { rootModule } from './root-module.js';
import { runMigrations } from './run.js';

// A deployment that replaces many processes migrates first, so that a migration that fails stops it.
await runMigrations(rootModule(configuredFile()));
