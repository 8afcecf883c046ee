import { Readable } from 'node:stream';
import yauzl from 'yauzl';
import { type ArchiveLimits, invalid, refuseLink, refusePath } from './archive-limits.js';
import { type Content, type Entry, reportingErrors } from './content.js';
import { ImportFault } from './import-fault.js';

const FILE_KIND = 0o170000;
const ORDINARY_KINDS = [0, 0o100000, 0o040000];

/** Yields the files of a ZIP archive in the order of its directory. Only files that are read are unpacked. */
export async function* entriesOfZip(content: Content, limits: ArchiveLimits): AsyncGenerator<Entry> {
  const reader = new ContentReader(content);
  let zip: yauzl.ZipFile | undefined;
  try {
    zip = await opened(reader, content.size);
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/')) {
        limits.addFolder(entry.fileName);
        continue;
      }
      const kind = (entry.externalFileAttributes >>> 16) & FILE_KIND;
      if (!ORDINARY_KINDS.includes(kind)) throw refuseLink(entry.fileName);
      const path = limits.addFile(entry.fileName);
      if (entry.isEncrypted()) throw invalid(`${JSON.stringify(path)} is encrypted`);
      if (!entry.canDecodeFileData())
        throw invalid(`${JSON.stringify(path)} is compressed by a method that is not supported`);
      limits.addBytes(entry.uncompressedSize);
      yield { path, size: entry.uncompressedSize, bytes: unpacked(zip, entry, reader) };
    }
  } catch (error) {
    throw faultOf(error, reader);
  } finally {
    zip?.close();
  }
}

/** Whether the error is about a path. yauzl checks paths before this program can. */
function isAboutPath(error: unknown): boolean {
  return error instanceof Error && /absolute path|relative path|invalid characters in fileName/.test(error.message);
}

async function* unpacked(zip: yauzl.ZipFile, entry: yauzl.Entry, reader: ContentReader): AsyncGenerator<Buffer> {
  try {
    yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>;
  } catch (error) {
    throw faultOf(error, reader);
  }
}

/** Returns the error of the store if there is one, because it is no fault of the archive. */
function faultOf(error: unknown, { fault }: ContentReader): Error {
  if (error instanceof ImportFault) return error;
  if (fault instanceof Error) return fault;
  return isAboutPath(error) ? refusePath() : invalid('it is damaged or incomplete');
}

function opened(reader: yauzl.RandomAccessReader, size: number): Promise<yauzl.ZipFile> {
  const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true, strictFileNames: true };
  return new Promise((resolve, reject) => {
    yauzl.fromRandomAccessReader(reader, size, options, (error, zip) => (error ? reject(error) : resolve(zip)));
  });
}

/** The bytes that one read fetches at least, because yauzl reads the directory in two small pieces for each entry. */
const READ_AHEAD = 65_536;

/** Lets yauzl read from the store, and keeps the error of the store. */
class ContentReader extends yauzl.RandomAccessReader {
  fault: unknown;
  private fetched = { start: 0, bytes: Buffer.alloc(0) };

  constructor(private readonly content: Content) {
    super();
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.bytesAt(position, length).then(
      (bytes) => {
        bytes.copy(buffer, offset);
        setImmediate(callback, null);
      },
      (error: Error) => setImmediate(callback, error),
    );
  }

  override _readStreamForRange(start: number, end: number): Readable {
    if (end <= start) return Readable.from([]);
    return Readable.from(this.range(start, end), { objectMode: false });
  }

  private async bytesAt(position: number, length: number): Promise<Buffer> {
    if (position + length > this.content.size) throw invalid('it is incomplete');
    if (!this.has(position, length)) {
      const end = Math.min(this.content.size, position + Math.max(length, READ_AHEAD));
      const pieces: Buffer[] = [];
      for await (const piece of this.range(position, end)) pieces.push(piece);
      this.fetched = { start: position, bytes: Buffer.concat(pieces) };
    }
    const at = position - this.fetched.start;
    return this.fetched.bytes.subarray(at, at + length);
  }

  private has(position: number, length: number): boolean {
    const { start, bytes } = this.fetched;
    return position >= start && position + length <= start + bytes.length;
  }

  /** Reads from `start` to `end`, without `end`. */
  private range(start: number, end: number): AsyncIterable<Buffer> {
    return reportingErrors(this.content.read(start, end - 1), (error) => (this.fault = error));
  }
}
