/** Matches what changes the depth or ends a member. */
const MARK = /["[\]{},]/g;
/** Matches what ends a string or escapes the next character. */
const IN_STRING = /["\\]/g;

/**
 * Returns the members of a JSON object as they are written, so that an object with very many members need not be parsed
 * at once. It checks nothing: faults show when members are parsed. Returns null for a text that is not an object.
 */
export function membersAsWritten(text: string): Generator<string> | null {
  const object = text.trim();
  return object.startsWith('{') && object.endsWith('}') ? membersOf(object) : null;
}

/**
 * Returns the value of a member exactly as it is written, with its digits, blanks and order. Of several members of that
 * name it returns the last, as the parser does. The text must be one JSON object that has been parsed already.
 */
export function memberAsWritten(json: string, name: string): string | undefined {
  let found: string | undefined;
  for (const member of membersAsWritten(json) ?? []) {
    const from = member.indexOf('"');
    if (from < 0) continue;
    const end = endOfString(member, from + 1) + 1;
    if (JSON.parse(member.slice(from, end)) === name) found = member.slice(member.indexOf(':', end) + 1).trim();
  }
  return found;
}

function* membersOf(object: string): Generator<string> {
  const end = object.length - 1;
  let depth = 0;
  let from = 1;
  for (let at = next(MARK, object, 1); at < end; at = next(MARK, object, at + 1)) {
    const mark = object[at];
    if (mark === '"') at = endOfString(object, at + 1);
    else if (mark === '{' || mark === '[') depth += 1;
    else if (mark === '}' || mark === ']') depth -= 1;
    else if (depth === 0) {
      yield object.slice(from, at);
      from = at + 1;
    }
  }
  yield object.slice(from, end);
}

function endOfString(text: string, start: number): number {
  let at = next(IN_STRING, text, start);
  while (text[at] === '\\') at = next(IN_STRING, text, at + 2);
  return at;
}

function next(marks: RegExp, text: string, from: number): number {
  marks.lastIndex = from;
  return marks.exec(text)?.index ?? text.length;
}
