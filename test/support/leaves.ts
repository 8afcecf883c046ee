export type Path = (string | number)[];

/** Where in a JSON value texts stand. */
export function textsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => textsIn(member, [...path, name]));
}

/** A copy with another value at that place. */
export function replaceAt(value: unknown, [name, ...rest]: Path, replacement: unknown): unknown {
  if (name === undefined) return replacement;
  const copy = structuredClone(value) as Record<string | number, unknown>;
  copy[name] = replaceAt(copy[name], rest, replacement);
  return copy;
}
