/** Where schemas stand in a schema: as the member itself or in a list, and by name. */
const PARTS = ['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'not', 'additionalProperties', 'propertyNames'];
const NAMED = 'properties';
const COMPONENT = '#/components/schemas/';

type Part = Record<string, unknown>;

/** The schema with no room for members that it does not name, and with its references as ajv finds the components. */
export function closed(schema: object): object {
  const copy: Part = { ...schema };
  if (typeof copy.$ref === 'string') copy.$ref = copy.$ref.replace(COMPONENT, '');
  for (const name of PARTS) if (isPart(copy[name])) copy[name] = closedEach(copy[name]);
  const properties = copy[NAMED];
  if (!isPart(properties)) return copy;
  copy[NAMED] = Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, closedEach(part)]));
  copy.additionalProperties ??= false;
  return copy;
}

function closedEach(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closedEach);
  return isPart(part) ? closed(part) : part;
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null;
}
