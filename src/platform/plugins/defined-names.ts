import { namedDefinitions } from '../../kernel/named-definitions.js';
import type { Names } from './names.js';

/** Refuses a second definition of one name. Modules define while they are loaded, those of one owner at a time. */
export class DefinedNames {
  private taken = 0;

  constructor(private readonly names: Names) {}

  /** Takes the names that were defined since the last call. */
  take(owner: string): void {
    const all = namedDefinitions();
    for (const { kind, name } of all.slice(this.taken)) this.names.take(owner, kind, [name]);
    this.taken = all.length;
  }
}
