import { namedDefinitions } from '../../kernel/named-definitions.js';
import { CONFIGURATION, SLIPWAY } from '../../kernel/owners.js';
import { StartError } from '../../kernel/start-error.js';
import { tablesByOwner } from './defined-tables.js';
import type { Names } from './names.js';
import { ownerNameOf, type SlipwayPlugin } from './plugin.js';

/**
 * Refuses a second definition of one name or table, a metric without a prefix, and a job that nothing handles. All modules
 * are loaded, so it does not matter which plugin was the first to import a file.
 */
export function checkDefinitions(
  names: Names,
  plugins: readonly SlipwayPlugin[],
  isHandled: (job: string) => boolean,
): void {
  const prefixes = new Map([[SLIPWAY, 'slipway_'], ...plugins.map(prefixOf)]);
  for (const { kind, name, owner } of namedDefinitions()) {
    names.take(owner, kind, [name]);
    if (kind === 'metric') checkMetric(name, owner, prefixes);
    if (kind === 'job' && !isHandled(name))
      throw new StartError(`The job ${name} of ${owner} has no handler. Mark a class with @HandlesJob.`);
  }
  for (const [owner, tables] of tablesByOwner()) names.take(owner, 'table', [...tables]);
}

function prefixOf(plugin: SlipwayPlugin): [owner: string, prefix: string] {
  return [ownerNameOf(plugin), `${plugin.name.replaceAll('-', '_')}_`];
}

/** Takes the prefix of any plugin, because another one may import the file before the plugin that has it. */
function checkMetric(name: string, owner: string, prefixes: ReadonlyMap<string, string>): void {
  const ownerOfPrefix = [...prefixes].find(([, prefix]) => name.startsWith(prefix))?.[0];
  // A configuration that is imported before Slipway is loaded has the rest of Slipway, too.
  const isAllowed = ownerOfPrefix === SLIPWAY ? [SLIPWAY, CONFIGURATION].includes(owner) : ownerOfPrefix !== undefined;
  if (isAllowed) return;
  const wanted = prefixes.get(owner) ?? 'the name of a plugin';
  throw new StartError(`The metric ${name} of ${owner} must begin with ${wanted}.`);
}
