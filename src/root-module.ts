import { Module, type Type } from '@nestjs/common';
import { SLIPWAY } from './kernel/owners.js';
import { StartError } from './kernel/start-error.js';
// The names of plugins are compared with those of the modules.
import './modules/permissions.js';
import { checkDefinitions } from './platform/plugins/check-definitions.js';
import { readConfigFile } from './platform/plugins/config-file.js';
import { installPlugins } from './platform/plugins/installed-plugins.js';
import { loadFor } from './platform/plugins/loading.js';
import { ownerNameOf, type SlipwayPlugin } from './platform/plugins/plugin.js';
import { checkedConfig } from './platform/plugins/plugin-rules.js';
import { isHandled } from './platform/queue/job-handlers.js';
// Everything that is loaded after it belongs to the configuration, which may be the first to import it.
import './plugin.js';

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
  const names = installPlugins(plugins);
  const { AppModule } = await loadFor(SLIPWAY, () => import('./app.module.js'));
  const modules: Type[] = [];
  for (const plugin of plugins) modules.push(...(await modulesOf(plugin)));
  checkDefinitions(names, plugins, isHandled);
  class Root {}
  Module({ imports: [AppModule, ...modules] })(Root);
  return Root;
}

async function modulesOf(plugin: SlipwayPlugin): Promise<readonly Type[]> {
  const owner = ownerNameOf(plugin);
  return loadFor(owner, async () => plugin.modules()).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    // An error of modules or of a package that they import does not name the plugin.
    throw new StartError(`The modules of ${owner} cannot be loaded: ${reason}`, { cause: error });
  });
}
