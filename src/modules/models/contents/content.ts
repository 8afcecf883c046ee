/** A stored content that can be read from any position. */
export interface Content {
  readonly name: string;
  readonly extension: string;
  readonly size: number;
  /** Reads the bytes from `start` to `end`, both included. */
  read(start: number, end: number): AsyncIterable<Buffer>;
}

/** A file of an archive, or a content that is not an archive. Its bytes can be read once. */
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

/**
 * Passes bytes on, and reports errors of their source. A library that unpacks them throws errors of its own, and
 * without the report a failure of the store would look like a damaged archive.
 */
export async function* reportingErrors(
  bytes: AsyncIterable<Buffer>,
  report: (error: unknown) => void,
): AsyncGenerator<Buffer> {
  const pieces = bytes[Symbol.asyncIterator]();
  const next = () =>
    pieces.next().catch((error: unknown) => {
      report(error);
      throw error;
    });
  try {
    for (let piece = await next(); !piece.done; piece = await next()) yield piece.value;
  } finally {
    await pieces.return?.();
  }
}
