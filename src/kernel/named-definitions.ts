/** All that modules define by calling a function while they are loaded. */
export type DefinedKind = 'error code' | 'event' | 'job' | 'metric' | 'retention rule';

interface NamedDefinition {
  readonly kind: DefinedKind;
  readonly name: string;
}

const definitions: NamedDefinition[] = [];

/** Notes a name. Two definitions of one name end the start of the service, which knows whose they are. */
export function noteDefinition(kind: DefinedKind, name: string): void {
  definitions.push({ kind, name });
}

/** All definitions, in their order. */
export function namedDefinitions(): readonly NamedDefinition[] {
  return definitions;
}
