import {
  access,
  constants,
  type FileHandle,
  link,
  mkdir,
  open,
  readFile,
  rename,
  rm,
  statfs,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Readable } from 'node:stream';
import { shareOwnerOf } from '../../kernel/actor.js';
import { FairSemaphore } from '../../kernel/fair-semaphore.js';
import { newId } from '../../kernel/ids.js';
import { currentRequest } from '../context/request-context.js';
import { type ByteRange, type Content, Storage } from './storage.js';
import { StorageKind, StoresContents } from './storage-kind.js';

/** A file inside the folder that identifies it, so that the same path on two machines is not taken for one folder. */
const MARKER = 'slipway-storage';
const UNFINISHED = 'unfinished';
const WRITE_BYTES = 512 * 1024;
/** Node works on four files at a time. One project has half of that, or its files would keep those of others waiting. */
const WRITES_AT_ONCE = 4;

/** Opens folders, such as `file:/var/lib/slipway`. */
@StoresContents({ scheme: 'file' })
export class DiskStorages extends StorageKind {
  open(url: URL): Storage {
    if (url.hostname !== '' || url.search !== '')
      throw new Error('must have only a folder after file:, such as file:/var/lib/slipway.');
    return new DiskStorage(fileURLToPath(url));
  }
}

/** Stores contents in a folder on disk, which all processes of an installation share. */
class DiskStorage extends Storage {
  private readonly folder: string;
  private readonly writes = new FairSemaphore(WRITES_AT_ONCE);

  constructor(folder: string) {
    super();
    this.folder = resolve(folder);
  }

  async location(): Promise<string> {
    await mkdir(join(this.folder, UNFINISHED), { recursive: true, mode: 0o700 });
    const marker = join(this.folder, MARKER);
    const own = `${marker}.${newId('storedObject')}`;
    await writeFile(own, newId('storedObject'), { flush: true });
    // The marker is linked instead of written: of several processes that start at once only one makes it, and no
    // process reads it half written.
    await link(own, marker).catch(unless('EEXIST'));
    await rm(own);
    return `file:${await readFile(marker, 'utf8')}`;
  }

  async check(): Promise<void> {
    await access(join(this.folder, MARKER));
    await access(join(this.folder, UNFINISHED), constants.W_OK);
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.folder);
    return bavail * bsize;
  }

  async write(name: string, content: Content): Promise<void> {
    const unfinished = this.unfinished(name);
    try {
      const inTurn = this.turnsOf(shareOwnerOf(currentRequest()?.actor));
      await writeSynced(unfinished, content, inTurn);
      await inTurn(() => this.finish(unfinished, this.path(name)));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  async read(name: string, range: ByteRange): Promise<Readable> {
    // The file is opened first, so that a missing one is known before an answer begins.
    const file = await open(this.path(name));
    return file.createReadStream({ ...range, highWaterMark: 256 * 1024 });
  }

  async remove(name: string): Promise<void> {
    await rm(this.unfinished(name), { force: true });
    await rm(this.path(name), { force: true });
  }

  /** Returns what runs one step of a write when it is the owner's turn. The arrival of a content takes no turn. */
  private turnsOf(owner: string): InTurn {
    return async (work) => {
      await this.writes.acquire(owner);
      try {
        return await work();
      } finally {
        this.writes.release(owner);
      }
    };
  }

  private async finish(unfinished: string, path: string): Promise<void> {
    try {
      await rename(unfinished, path);
    } catch (error) {
      unless('ENOENT')(error);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await syncFolder(this.folder);
      await rename(unfinished, path);
    }
    await syncFolder(dirname(path));
  }

  private unfinished(name: string): string {
    return join(this.folder, UNFINISHED, name);
  }

  /** Spreads the files over folders by the end of their names, which is random. */
  private path(name: string): string {
    return join(this.folder, name.slice(-2), name);
  }
}

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Writes many pieces at a time, while the next ones arrive. */
async function writeSynced(path: string, content: Content, inTurn: InTurn): Promise<void> {
  const file = await inTurn(() => open(path, 'wx', 0o600));
  try {
    let written = Promise.resolve();
    let pieces: Buffer[] = [];
    let bytes = 0;
    const write = async () => {
      const batch = pieces;
      [pieces, bytes] = [[], 0];
      await written;
      written = inTurn(() => writeAll(file, batch));
      // A failure surfaces where `written` is awaited.
      written.catch(() => undefined);
    };
    for await (const piece of content) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes >= WRITE_BYTES) await write();
    }
    await write();
    await written;
    await inTurn(() => file.sync());
  } finally {
    await file.close();
  }
}

/** The system may write less than it is given, for example when the disk is filling up. */
async function writeAll(file: FileHandle, pieces: Buffer[]): Promise<void> {
  if (pieces.length === 0) return;
  const { bytesWritten } = await file.writev(pieces);
  const whole = pieces.reduce((sum, { length }) => sum + length, 0);
  if (bytesWritten < whole) await file.writeFile(Buffer.concat(pieces).subarray(bytesWritten));
}

/** Syncs a folder, because a file's name survives a power cut only if the folder is on disk too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function unless(code: string): (error: unknown) => void {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code !== code) throw error;
  };
}
