/** Decodes bytes, piece by piece. */
export async function* textsOf(bytes: AsyncIterable<Uint8Array>, decoder = new TextDecoder()): AsyncGenerator<string> {
  for await (const piece of bytes) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}

/** Splits a text into lines without their ends. Each piece is split once, however long its line is. */
export async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let open: string[] = [];
  for await (const text of texts) {
    const lines = text.split('\n');
    const rest = lines.pop()!;
    for (const line of lines) {
      yield withoutReturn(open.length > 0 ? open.join('') + line : line);
      open = [];
    }
    open.push(rest);
  }
  const last = open.join('');
  if (last !== '') yield withoutReturn(last);
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
