import { Module, type Type } from '@nestjs/common';
// The names of plugins are compared with those of the modules.
import './modules/permissions.js';
import { readConfigFile } from './platform/plugins/config-file.js';
import { DefinedNames } from './platform/plugins/defined-names.js';
import { installPlugins } from './platform/plugins/installed-plugins.js';
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
  const modules = [];
  for (const plugin of plugins) {
    modules.push(...(await plugin.modules()));
    defined.take(`the plugin ${plugin.name}`, `${plugin.name.replaceAll('-', '_')}_`);
  }
  class Root {}
  Module({ imports: [AppModule, ...modules] })(Root);
  return Root;
}
