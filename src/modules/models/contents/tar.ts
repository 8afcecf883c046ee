import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { type ArchiveLimits, invalid, refuseLink } from './archive-limits.js';
import { type Content, type Entry, wholeOf } from './content.js';
import { ImportFault } from './import-fault.js';

/** The files of a tar, one after the other, gzipped or not. What nobody reads of a file is passed over. */
export async function* entriesOfTar(
  content: Content,
  limits: ArchiveLimits,
  isGzipped: boolean,
): AsyncGenerator<Entry> {
  const entries = extract();
  const counting = new Transform({
    transform(piece: Buffer, _encoding, done) {
      try {
        limits.addBytes(piece.length);
        done(null, piece);
      } catch (error) {
        done(error as Error);
      }
    },
  });
  let fault: unknown;
  const source = Readable.from(noting(wholeOf(content), (error) => (fault = error)));
  const stages = isGzipped ? [source, createGunzip(), counting, entries] : [source, counting, entries];
  const unpacking = pipeline(stages as [Readable, Transform]);
  // Told where the entries are read.
  unpacking.catch(() => undefined);
  try {
    for await (const entry of entries) {
      const { type, name, size = 0 } = entry.header;
      if (type !== 'directory') {
        if (type !== 'file' && type !== 'contiguous-file') throw refuseLink(name);
        const pieces = entry[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
        yield { path: limits.addFile(name), size, bytes: { [Symbol.asyncIterator]: () => unending(pieces) } };
        while (!(await pieces.next()).done);
      } else entry.resume();
    }
    await unpacking;
  } catch (error) {
    if (error instanceof ImportFault) throw error;
    // It has failed, and so has ended: with what the limits say, or with what the store or the archive does.
    const reason = await unpacking.catch((cause: unknown) => cause);
    if (reason instanceof ImportFault) throw reason;
    throw fault instanceof Error ? fault : invalid('it is damaged, or ends half way');
  } finally {
    source.destroy();
    entries.destroy();
  }
}

/** Whoever stops reading an entry ends the whole tar with it, unless it does not hear of that. */
function unending(pieces: AsyncIterator<Buffer>): AsyncIterator<Buffer> {
  return { next: () => pieces.next() };
}

/** What the store says is no fault of the archive's. */
async function* noting(bytes: AsyncIterable<Buffer>, note: (error: unknown) => void): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    note(error);
    throw error;
  }
}
