import { loadingOwner } from './owners.js';

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
