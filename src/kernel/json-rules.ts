export interface JsonFault {
  path: (string | number)[];
  message: string;
}

interface Place {
  value: object;
  parent?: Place;
  key?: string | number;
  depth: number;
}

const MAX_DEPTH = 64;
export const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;
/** What is no longer is parsed in time, however deep it is. */
const LONG = 1024 * 1024;
/** A hostile body could hold a hundred thousand faults; nobody reads more than these. */
const MAX_FAULTS = 100;

/**
 * What JSON allows and nothing behind us can store or should walk: NUL characters, lone surrogates, nesting
 * past 64. Walks with a list of its own, since recursion is what a deep body attacks.
 */
export function findJsonFaults(root: unknown): JsonFault[] {
  if (typeof root === 'string') return faultsOf(root, []);
  if (!isObject(root)) return [];

  const faults: JsonFault[] = [];
  const pending: Place[] = [{ value: root, depth: 1 }];
  for (let place = pending.pop(); place && faults.length < MAX_FAULTS; place = pending.pop()) {
    if (place.depth > MAX_DEPTH) {
      return [{ path: pathTo(place).slice(0, 3), message: TOO_DEEP }];
    }
    const inArray = Array.isArray(place.value);
    for (const [name, member] of Object.entries(place.value)) {
      const key = inArray ? Number(name) : name;
      if (!inArray && stringFault(name)) {
        faults.push({ path: pathTo(place), message: `has a member whose name ${stringFault(name)}` });
      }
      if (typeof member === 'string' && stringFault(member)) {
        faults.push(...faultsOf(member, [...pathTo(place), key]));
      } else if (isObject(member)) {
        pending.push({ value: member, parent: place, key, depth: place.depth + 1 });
      }
    }
  }
  return faults;
}

/** Whether it has more levels than what walks it by recursion, such as `JSON.stringify`, may be given. */
export function isNestedDeeper(root: unknown, levels = MAX_DEPTH): boolean {
  let level = isObject(root) ? [root] : [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= levels) return true;
    level = level.flatMap((value) => Object.values(value).filter(isObject));
  }
  return false;
}

const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

/** Whether JSON has more levels than a body may have, told by its brackets: to parse millions of them takes seconds. */
export function isDeepUnparsed(json: string | Uint8Array): boolean {
  if (json.length <= LONG) return false;
  const bytes = typeof json === 'string' ? Buffer.from(json) : json;
  let depth = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isText && byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) isText = !isText;
    else if (isText) continue;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth += 1;
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

function stringFault(text: string): string | undefined {
  if (text.includes('\0')) return 'contains a NUL character';
  if (!text.isWellFormed()) return 'contains a lone surrogate, which is not valid Unicode';
  return undefined;
}

function faultsOf(text: string, path: (string | number)[]): JsonFault[] {
  const message = stringFault(text);
  return message ? [{ path, message }] : [];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function pathTo(place: Place): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at: Place | undefined = place; at?.key !== undefined; at = at.parent) path.unshift(at.key);
  return path;
}
