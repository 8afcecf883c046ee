/** Something stored that can be read from any place on. */
export interface Content {
  readonly name: string;
  readonly extension: string;
  readonly size: number;
  /** From `start` to `end`, both included. */
  read(start: number, end: number): AsyncIterable<Buffer>;
}

/** One file of an archive, or a content that is a file by itself. Its bytes pass by once. */
export interface Entry {
  readonly path: string;
  readonly size: number;
  readonly bytes: AsyncIterable<Buffer>;
}

export function wholeOf(content: Content): AsyncIterable<Buffer> {
  return content.read(0, content.size - 1);
}

export async function headOf(content: Content, bytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  if (content.size === 0) return Buffer.alloc(0);
  for await (const piece of content.read(0, Math.min(bytes, content.size) - 1)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Keeps apart what the store says from what is wrong with what it holds: whoever reads may throw into it as well. */
export async function* noting(bytes: AsyncIterable<Buffer>, note: (error: unknown) => void): AsyncGenerator<Buffer> {
  const pieces = bytes[Symbol.asyncIterator]();
  const next = () =>
    pieces.next().catch((error: unknown) => {
      note(error);
      throw error;
    });
  try {
    for (let piece = await next(); !piece.done; piece = await next()) yield piece.value;
  } finally {
    await pieces.return?.();
  }
}
