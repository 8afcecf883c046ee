import { addIdKinds } from '../../kernel/ids.js';
import { addPermissions } from '../../kernel/permissions.js';
import { StartError } from '../../kernel/start-error.js';
import { addSettings } from '../config/settings.js';
import { Names } from './names.js';
import { checkMembers } from './plugin-rules.js';
import type { SlipwayPlugin } from './plugin.js';

const installed: SlipwayPlugin[] = [];
let taken: Names | undefined;

/** The plugins of this process, in the order of the configuration. */
export function installedPlugins(): readonly SlipwayPlugin[] {
  return installed;
}

/** Returns `Slipway` or `the plugin …`, if this process has an entity for the table or it is one of Slipway's. */
export function ownerOfTable(table: string): string | undefined {
  return taken?.ownerOf('table', table);
}

/** Makes the names of the plugins known, and returns them. Nothing is added unless all of them can be. */
export function installPlugins(plugins: readonly SlipwayPlugin[]): Names {
  checkMembers(plugins);
  const names = new Names();
  for (const plugin of plugins) takeNames(plugin, names);
  for (const plugin of plugins) checkImplied(plugin, names);
  for (const plugin of plugins) {
    addIdKinds(plugin.ids ?? {});
    addPermissions(plugin.permissions ?? {});
    addSettings(prefixOfSettings(plugin), plugin.settings ?? {});
    installed.push(plugin);
  }
  taken = names;
  return names;
}

function takeNames(plugin: SlipwayPlugin, names: Names): void {
  const owner = `the plugin ${plugin.name}`;
  const { ids = {}, permissions = {}, settings = {}, migrations = [] } = plugin;
  names.take(owner, 'name', [plugin.name]);
  names.take(owner, 'kind of ids', Object.keys(ids));
  names.take(owner, 'prefix of ids', Object.values(ids));
  names.take(owner, 'permission', Object.keys(permissions));
  names.take(owner, 'setting', Object.keys(settings));
  const twice = migrations.find((migration, at) => migrations.slice(0, at).some(({ name }) => name === migration.name));
  if (twice) throw new StartError(`The plugin ${plugin.name} has two migrations with the name ${twice.name}.`);
  const prefix = prefixOfSettings(plugin);
  const other = Object.keys(settings).find((name) => !name.startsWith(prefix));
  if (other) throw new StartError(`The setting ${other} of ${owner} must begin with ${prefix}.`);
}

function checkImplied({ name, permissions = {} }: SlipwayPlugin, names: Names): void {
  for (const [permission, { implies = [] }] of Object.entries(permissions)) {
    const unknown = implies.find((other) => !names.ownerOf('permission', other));
    if (unknown)
      throw new StartError(
        `The permission ${permission} of the plugin ${name} implies ${unknown}, which does not exist.`,
      );
  }
}

function prefixOfSettings({ name }: SlipwayPlugin): string {
  return `${name.toUpperCase().replaceAll('-', '_')}_`;
}
