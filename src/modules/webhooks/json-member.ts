const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * A member of an object as it stands in the text: every digit, blank and order of it. Of members of one name the last,
 * as the parser has it. The text has to be one JSON object that has been parsed already: only its outline is read.
 */
export function memberAsWritten(json: string, name: string): string | undefined {
  let found: string | undefined;
  let depth = 0;
  /** Of the member that is being passed over: its name, once read, and where its value begins. */
  let current: { name: string; from: number } | undefined;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(json, at);
      // A name: only there does a string at the outermost level come before its colon.
      if (depth === 1 && !current) current = { name: JSON.parse(json.slice(at, end + 1)) as string, from: -1 };
      at = end;
    } else if (code === COLON && depth === 1 && current?.from === -1) {
      current.from = at + 1;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET || (code === COMMA && depth === 1)) {
      if (depth === 1 && current) {
        if (current.name === name) found = json.slice(current.from, at).trim();
        current = undefined;
      }
      if (code !== COMMA) depth -= 1;
    }
  }
  return found;
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
