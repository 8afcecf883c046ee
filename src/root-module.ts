import { Module, type Type } from '@nestjs/common';
import { CONTROLLER_WATERMARK, INJECTABLE_WATERMARK } from '@nestjs/common/constants.js';
import { SLIPWAY } from './kernel/owners.js';
import { StartError } from './kernel/start-error.js';
// The names of plugins are compared with those of the modules.
import './modules/permissions.js';
import { checkDefinitions } from './platform/plugins/check-definitions.js';
import { type ConfigModule, loadConfig, readConfigFile, reasonOf } from './platform/plugins/config-file.js';
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

/** Returns the module of the whole service with the plugins of a configuration that is still to be loaded. */
export async function rootModuleBy(load: () => Promise<ConfigModule>): Promise<Type> {
  return rootModuleOf(await loadConfig(load));
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
  const modules: unknown = await loadFor(owner, async () => plugin.modules()).catch((error: unknown) => {
    // An error of modules or of a package that they import does not name the plugin.
    throw new StartError(`The modules of ${owner} cannot be loaded: ${reasonOf(error)}`, { cause: error });
  });
  const rule = `The modules of ${owner} must be a list of classes with @Module`;
  if (!Array.isArray(modules)) throw new StartError(`${rule}, and \`modules\` returns ${nameOf(modules)}.`);
  const wrong = modules.findIndex((module) => !isModule(module));
  if (wrong >= 0) throw new StartError(`${rule}; at position ${wrong + 1} is ${nameOf(modules[wrong])}.`);
  return modules as readonly Type[];
}

/** Nest takes every class as a module that is not marked as something else. */
function isModule(given: unknown): boolean {
  return (
    typeof given === 'function' &&
    !Reflect.hasMetadata(INJECTABLE_WATERMARK, given) &&
    !Reflect.hasMetadata(CONTROLLER_WATERMARK, given)
  );
}

function nameOf(given: unknown): string {
  if (typeof given === 'function') return given.name;
  if (given === undefined || given === null) return String(given);
  return typeof given === 'object' ? 'an object' : `a ${typeof given}`;
}
