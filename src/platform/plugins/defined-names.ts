import { namedDefinitions } from '../../kernel/named-definitions.js';
import { StartError } from '../../kernel/start-error.js';
import { definedTables } from './defined-tables.js';
import type { Names } from './names.js';

/**
 * Refuses a second definition of one name or table, and a job that nothing handles. Modules define while they are
 * loaded, those of one owner at a time.
 */
export class DefinedNames {
  private taken = 0;
  private readonly entities = new Set<object>();

  constructor(
    private readonly names: Names,
    private readonly isHandled: (job: string) => boolean,
  ) {}

  /** Takes the names that were defined since the last call. */
  take(owner: string, prefixOfMetrics: string): void {
    const all = namedDefinitions();
    for (const { kind, name } of all.slice(this.taken)) {
      this.names.take(owner, kind, [name]);
      if (kind === 'metric' && !name.startsWith(prefixOfMetrics))
        throw new StartError(`The metric ${name} of ${owner} must begin with ${prefixOfMetrics}.`);
      if (kind === 'job' && !this.isHandled(name))
        throw new StartError(`The job ${name} of ${owner} has no handler. Mark a class with @HandlesJob.`);
    }
    this.taken = all.length;
    this.takeTables(owner);
  }

  /** Takes each table once, because a process that loads modules again has their entities twice. */
  private takeTables(owner: string): void {
    const added = [...definedTables()].filter(([entity]) => !this.entities.has(entity));
    this.names.take(owner, 'table', [...new Set(added.map(([, table]) => table))]);
    for (const [entity] of added) this.entities.add(entity);
  }
}
