import { ApiError, type Issue } from '../api/client.js';

/** Returns the name of the field at fault. In a path, the name of a group of fields may come before the name. */
export function fieldAt({ path }: Issue, names: readonly string[]): string | undefined {
  return path
    .split('.')
    .slice(0, 2)
    .find((part) => names.includes(part));
}

/** Returns the faults that a refusal finds in each field, without the name of the field. */
export function faultsByField(error: Error | null, names: readonly string[]): Partial<Record<string, string>> {
  const faults: Partial<Record<string, string>> = {};
  for (const issue of error instanceof ApiError ? error.issues : []) {
    const name = fieldAt(issue, names);
    if (name === undefined) continue;
    const parts = issue.path.split('.');
    const fault = [...parts.slice(parts.indexOf(name) + 1), issue.message].join(' ');
    faults[name] = faults[name] === undefined ? fault : `${faults[name]}, ${fault}`;
  }
  return faults;
}
