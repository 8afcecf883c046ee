/** What changes the depth, or ends a member. */
const MARK = /["[\]{},]/g;
/** What ends a string, or escapes what follows. */
const IN_STRING = /["\\]/g;

/**
 * The members of a JSON object as they stand in the text, so that one of very many members is never parsed at once.
 * Nothing is checked here: what is no JSON shows when members are parsed. Null where it is no object.
 */
export function membersAsWritten(text: string): Generator<string> | null {
  const object = text.trim();
  return object.startsWith('{') && object.endsWith('}') ? membersOf(object) : null;
}

/**
 * The value of a member as it stands in the text: every digit, blank and order of it. Of members of one name the last,
 * as the parser has it. The text has to be one JSON object that has been parsed already.
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
