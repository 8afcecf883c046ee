import { textFault } from './storable-text.js';

export interface JsonFault {
  path: (string | number)[];
  message: string;
}

const MAX_DEPTH = 64;
export const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;
/** A text up to this length is parsed in time, however deep it is. */
const LONG = 1024 * 1024;
/**
 * The limit of values, because a value of two characters costs as much as a long one. Without it a process would parse
 * and check a body for minutes.
 */
export const MOST_VALUES = 1_000_000;
/** A hostile body could have a hundred thousand faults, and no user reads more than these. */
const MAX_FAULTS = 100;

/**
 * Finds what JSON allows but the service cannot store or safely walk: NUL characters, lone surrogates, and nesting past
 * 64 levels. `levelsAbove` counts the levels above the root.
 */
export function findJsonFaults(root: unknown, levelsAbove = 0): JsonFault[] {
  const finder = new FaultFinder();
  finder.look(root, levelsAbove);
  return finder.tooDeep ? [finder.tooDeep] : finder.faults;
}

/**
 * Goes no deeper than allowed, and allocates nothing for values without a fault, because there may be a million of
 * them.
 */
class FaultFinder {
  readonly faults: JsonFault[] = [];
  tooDeep: JsonFault | undefined;
  private readonly path: (string | number)[] = [];

  look(value: unknown, levelsAbove: number): void {
    if (this.tooDeep || this.faults.length >= MAX_FAULTS) return;
    if (typeof value === 'string') this.lookAtText(value);
    if (!isObject(value)) return;
    if (levelsAbove === MAX_DEPTH) {
      this.tooDeep = { path: this.path.slice(0, 3), message: TOO_DEEP };
      return;
    }
    if (Array.isArray(value)) {
      for (let at = 0; at < value.length; at += 1) this.lookAtMember(at, value[at], levelsAbove);
      return;
    }
    for (const name of Object.keys(value)) {
      const fault = textFault(name);
      if (fault) this.note(`has a member whose name ${fault}`);
      this.lookAtMember(name, (value as Record<string, unknown>)[name], levelsAbove);
    }
  }

  private lookAtMember(key: string | number, member: unknown, levelsAbove: number): void {
    if (typeof member !== 'string' && !isObject(member)) return;
    this.path.push(key);
    this.look(member, levelsAbove + 1);
    this.path.pop();
  }

  private lookAtText(text: string): void {
    const fault = textFault(text);
    if (fault) this.note(fault);
  }

  private note(message: string): void {
    this.faults.push({ path: [...this.path], message });
  }
}

/** Whether a value has more levels than code that walks it by recursion, such as `JSON.stringify`, may receive. */
export function isNestedDeeper(root: unknown, levels = MAX_DEPTH): boolean {
  let level = isObject(root) ? [root] : [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= levels) return true;
    level = level.flatMap((value) => Object.values(value).filter(isObject));
  }
  return false;
}

const [QUOTE, BACKSLASH, COMMA, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\,[]{}');

/**
 * Returns why a JSON text is too much to parse, or undefined. It counts brackets and commas, which takes a moment where
 * parsing takes seconds. A short text is parsed in time whatever it contains.
 *
 * Unlike json-outline.ts it takes bytes, so that a body is decoded only once it is known to be small enough.
 */
export function tooMuchToParse(json: string | Uint8Array, mostValues = MOST_VALUES): string | undefined {
  if (json.length <= LONG) return undefined;
  const bytes = typeof json === 'string' ? Buffer.from(json) : json;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfText(bytes, at);
    else if (byte === COMMA) values += 1;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > MAX_DEPTH) return TOO_DEEP;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
  }
  return values > mostValues ? `has more than ${mostValues} values` : undefined;
}

/** Returns where the text that begins at a quote ends. Long texts are searched by native code. */
function endOfText(bytes: Uint8Array, begin: number): number {
  let end = bytes.indexOf(QUOTE!, begin + 1);
  while (end > 0 && isEscaped(bytes, end)) end = bytes.indexOf(QUOTE!, end + 1);
  return end < 0 ? bytes.length : end;
}

/** Whether an odd number of backslashes stands before a byte. */
function isEscaped(bytes: Uint8Array, at: number): boolean {
  let before = at;
  while (bytes[before - 1] === BACKSLASH) before -= 1;
  return (at - before) % 2 === 1;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
