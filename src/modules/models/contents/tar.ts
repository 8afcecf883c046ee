import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { type ArchiveLimits, invalid, refuseLink } from './archive-limits.js';
import { type Content, type Entry, reportingErrors, wholeOf } from './content.js';
import { ImportFault } from './import-fault.js';

/** Yields the files of a tar, gzipped or not, one after another. The unread rest of a file is skipped. */
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
  const source = Readable.from(reportingErrors(wholeOf(content), (error) => (fault = error)));
  const stages = isGzipped ? [source, createGunzip(), counting, entries] : [source, counting, entries];
  const unpacking = pipeline(stages as [Readable, Transform]);
  // The loop over the entries throws this failure, so it is no unhandled rejection.
  unpacking.catch(() => undefined);
  const faultOf = async (error: unknown) => {
    if (error instanceof ImportFault) return error;
    // The pipeline has failed because of the limits, the store or the archive, so this wait is short.
    const reason = await unpacking.catch((cause: unknown) => cause);
    if (reason instanceof ImportFault) return reason;
    return fault instanceof Error ? fault : invalid('it is damaged or incomplete');
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

/** Returns an iterator without `return`, because an early end of reading one entry would end the whole tar. */
function piecesOf(entry: AsyncIterable<Buffer>, faultOf: (error: unknown) => Promise<Error>): AsyncIterator<Buffer> {
  const pieces = entry[Symbol.asyncIterator]();
  return {
    next: () =>
      pieces.next().catch(async (error: unknown) => {
        throw await faultOf(error);
      }),
  };
}
