import { loadingOwner } from './owners.js';
import { StartError } from './start-error.js';

/** All that modules define by calling a function while they are loaded. */
export type DefinedKind = 'error code' | 'event' | 'job' | 'metric' | 'retention rule';

interface NamedDefinition {
  readonly kind: DefinedKind;
  readonly name: string;
  /** The owner of the files that were being loaded. */
  readonly owner: string;
}

const definitions: NamedDefinition[] = [];

/** Notes a name. Two definitions of one name end the start of the service. */
export function noteDefinition(kind: DefinedKind, name: string): void {
  definitions.push({ kind, name, owner: loadingOwner() });
}

/** All definitions, in their order. */
export function namedDefinitions(): readonly NamedDefinition[] {
  return definitions;
}

/**
 * Throws unless a defining function made this. A plugin may be plain JavaScript, and in a circle of imports a definition is
 * undefined for whichever file is loaded first. `use` says what it is given for, as in "Acme handles a job".
 */
export function demandDefined(use: string, given: unknown, made: readonly unknown[], maker: string): void {
  if (made.includes(given)) return;
  throw new StartError(
    given === undefined
      ? `${use} that is undefined. Is its file imported in a circle?`
      : `${use} that ${maker} did not make. Import it from the file that defines it.`,
  );
}
