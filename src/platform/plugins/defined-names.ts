import { namedDefinitions } from '../../kernel/named-definitions.js';
import { StartError } from '../../kernel/start-error.js';
import type { Names } from './names.js';

/** Refuses a second definition of one name. Modules define while they are loaded, those of one owner at a time. */
export class DefinedNames {
  private taken = 0;

  constructor(private readonly names: Names) {}

  /** Takes the names that were defined since the last call. */
  take(owner: string, prefixOfMetrics: string): void {
    const all = namedDefinitions();
    for (const { kind, name } of all.slice(this.taken)) {
      this.names.take(owner, kind, [name]);
      if (kind === 'metric' && !name.startsWith(prefixOfMetrics))
        throw new StartError(`The metric ${name} of ${owner} must begin with ${prefixOfMetrics}.`);
    }
    this.taken = all.length;
  }
}
