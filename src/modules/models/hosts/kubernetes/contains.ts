/**
 * Whether a value has each member that another one has, with the same value. It may have more members, such as the
 * defaults that a cluster adds. Lists have to be of the same length.
 */
export function contains(value: unknown, wanted: unknown): boolean {
  if (!isObject(wanted)) return value === wanted;
  if (!isObject(value) || (Array.isArray(wanted) && value.length !== wanted.length)) return false;
  return Object.entries(wanted).every(([name, member]) => contains(value[name], member));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
