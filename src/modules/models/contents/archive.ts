import { ArchiveLimits } from './archive-limits.js';
import { type Content, type Entry, headOf, wholeOf } from './content.js';

export type ArchiveFormat = 'zip' | 'tar' | 'tar.gz';

const TAR_MARK_AT = 257;

/** Recognizes an archive by its first bytes, because its extension may be wrong. */
export async function archiveFormatOf(content: Content): Promise<ArchiveFormat | null> {
  const head = await headOf(content, 512);
  const mark = head.toString('latin1');
  if (mark.startsWith('PK\x03\x04') || mark.startsWith('PK\x05\x06')) return 'zip';
  if (mark.startsWith('\x1f\x8b')) return 'tar.gz';
  return mark.startsWith('ustar', TAR_MARK_AT) ? 'tar' : null;
}

/** Files that macOS adds for itself. Some have the name of a packed file after `._`, and other contents. */
const OF_MAC_OS = /^__MACOSX\/|(^|\/)(\._[^/]*|\.DS_Store)$/;

/** Yields the files of an archive without those of macOS. Each has to be read before the next one. */
export async function* entriesOf(content: Content, format: ArchiveFormat): AsyncGenerator<Entry> {
  const limits = new ArchiveLimits(content.size);
  const entries =
    format === 'zip'
      ? (await import('./zip.js')).entriesOfZip(content, limits)
      : (await import('./tar.js')).entriesOfTar(content, limits, format === 'tar.gz');
  for await (const entry of entries) if (!OF_MAC_OS.test(entry.path)) yield entry;
}

/** Returns the bytes of a file of an archive, or those of the content itself if no path is given. */
export function bytesOf(content: Content, path: string | null): AsyncIterable<Buffer> {
  return path === null ? wholeOf(content) : bytesAt(content, path);
}

async function* bytesAt(content: Content, wanted: string): AsyncGenerator<Buffer> {
  const format = await archiveFormatOf(content);
  for await (const { path, bytes } of entriesOf(content, format!)) {
    if (path !== wanted) continue;
    yield* bytes;
    return;
  }
  throw new Error(`The archive no longer contains ${wanted}`);
}
