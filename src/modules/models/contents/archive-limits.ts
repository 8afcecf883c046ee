import { ImportFault } from './import-fault.js';
import { quoted } from './quoted.js';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

const MOST_FILES = 10_000;
/** Folders have no content, but each takes time. */
const MOST_FOLDERS = 100_000;
const MOST_BYTES = 200 * GIB;
/** The ratio of unpacked to packed bytes that an archive may have, once it unpacks to more than HARMLESS_BYTES. */
const LARGEST_RATIO = 100;
const HARMLESS_BYTES = 64 * MIB;
const LONGEST_QUOTED = 128;

/** Counts what is unpacked, because an archive's own statements about its sizes cannot be trusted. */
export class ArchiveLimits {
  private readonly paths = new Set<string>();
  private folders = 0;
  private unpacked = 0;

  constructor(private readonly archiveSize: number) {}

  get files(): number {
    return this.paths.size;
  }

  /** Returns the path without a leading `./`. Refuses a path that leads out of the archive's folder. */
  addFile(path: string): string {
    const plain = path.replace(/^(\.\/)+/, '');
    if (leadsOut(plain) || plain === '' || plain.length > 1_024) throw refusePath();
    if (this.paths.has(plain)) throw invalid(`it contains ${quoted(plain, LONGEST_QUOTED)} twice`);
    this.paths.add(plain);
    if (this.paths.size > MOST_FILES) throw tooLarge(`it has more than ${MOST_FILES} files`);
    return plain;
  }

  addFolder(path: string): void {
    if (leadsOut(path)) throw refusePath();
    this.folders += 1;
    if (this.folders > MOST_FOLDERS) throw tooLarge(`it has more than ${MOST_FOLDERS} folders`);
  }

  addBytes(bytes: number): void {
    this.unpacked += bytes;
    if (this.unpacked > MOST_BYTES) throw tooLarge(`it unpacks to more than ${MOST_BYTES / GIB} GiB`);
    if (this.unpacked > HARMLESS_BYTES && this.unpacked > this.archiveSize * LARGEST_RATIO) {
      throw tooLarge(`it unpacks to more than ${LARGEST_RATIO} times its own size`);
    }
  }
}

function leadsOut(path: string): boolean {
  return /^(\/|[A-Za-z]:)|\\|\0/.test(path) || path.split('/').includes('..');
}

export function refusePath(): ImportFault {
  return new ImportFault(
    'ARCHIVE_PATH_NOT_ALLOWED',
    'The archive has a file or folder with a path outside of its folder. Pack it with plain relative paths.',
  );
}

export function refuseLink(path: string): ImportFault {
  return new ImportFault(
    'ARCHIVE_LINK_NOT_ALLOWED',
    `The archive has ${quoted(path, LONGEST_QUOTED)}, which is a link or a device. Pack the files themselves (tar -h).`,
  );
}

export function invalid(what: string): ImportFault {
  return new ImportFault('ARCHIVE_INVALID', `The archive cannot be unpacked: ${what}.`);
}

function tooLarge(what: string): ImportFault {
  return new ImportFault('ARCHIVE_TOO_LARGE', `The archive is not unpacked: ${what}.`);
}
