import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { type ArchiveLimits, invalid, refuseLink } from './archive-limits.js';
import { type Content, type Entry, noting, wholeOf } from './content.js';
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
  const faultOf = async (error: unknown) => {
    if (error instanceof ImportFault) return error;
    // It has failed, and so has ended: with what the limits say, or with what the store or the archive does.
    const reason = await unpacking.catch((cause: unknown) => cause);
    if (reason instanceof ImportFault) return reason;
    return fault instanceof Error ? fault : invalid('it is damaged, or ends half way');
  };
  try {
    for await (const entry of entries) {
      const { type, name, size = 0 } = entry.header;
      if (type !== 'directory') {
        if (type !== 'file' && type !== 'contiguous-file') throw refuseLink(name);
        const pieces = piecesOf(entry as AsyncIterable<Buffer>, faultOf);
        yield { path: limits.addFile(name), size, bytes: { [Symbol.asyncIterator]: () => pieces } };
        while (!(await pieces.next()).done);
      } else {
        limits.addFolder(name);
        entry.resume();
      }
    }
    await unpacking;
  } catch (error) {
    throw await faultOf(error);
  } finally {
    source.destroy();
    entries.destroy();
  }
}

/** Whoever stops reading an entry would end the whole tar with it: they are not heard. */
function piecesOf(entry: AsyncIterable<Buffer>, faultOf: (error: unknown) => Promise<Error>): AsyncIterator<Buffer> {
  const pieces = entry[Symbol.asyncIterator]();
  return {
    next: () =>
      pieces.next().catch(async (error: unknown) => {
        throw await faultOf(error);
      }),
  };
}
