import { Module, type Type } from '@nestjs/common';
import { StartError } from './kernel/start-error.js';
// The names of plugins are compared with those of the modules.
import './modules/permissions.js';
import { readConfigFile } from './platform/plugins/config-file.js';
import { DefinedNames } from './platform/plugins/defined-names.js';
import { rememberTablesOfSlipway } from './platform/plugins/defined-tables.js';
import { installPlugins } from './platform/plugins/installed-plugins.js';
import type { SlipwayPlugin } from './platform/plugins/plugin.js';
import { checkedConfig } from './platform/plugins/plugin-rules.js';
import { isHandled } from './platform/queue/job-handlers.js';

/** Returns the module of the whole service with the plugins that a file names. */
export async function rootModule(configFile?: string): Promise<Type> {
  return rootModuleOf(configFile ? await readConfigFile(configFile) : { plugins: [] });
}

/**
 * Returns the module of the whole service: Slipway's modules and those of the plugins. All modules are loaded after the
 * plugins are installed, because schemas list the permissions and ids that exist when they are loaded.
 */
export async function rootModuleOf(config: unknown): Promise<Type> {
  const { plugins } = checkedConfig(config);
  const defined = new DefinedNames(installPlugins(plugins), isHandled);
  const { AppModule } = await import('./app.module.js');
  defined.take('Slipway', 'slipway_');
  rememberTablesOfSlipway();
  const modules = [];
  for (const plugin of plugins) {
    modules.push(...(await modulesOf(plugin)));
    defined.take(`the plugin ${plugin.name}`, `${plugin.name.replaceAll('-', '_')}_`);
  }
  class Root {}
  Module({ imports: [AppModule, ...modules] })(Root);
  return Root;
}

/** Names the plugin, because an error of its modules or of a package that they import does not. */
async function modulesOf(plugin: SlipwayPlugin): Promise<readonly Type[]> {
  try {
    return await plugin.modules();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`The modules of the plugin ${plugin.name} cannot be loaded: ${reason}`, { cause: error });
  }
}
