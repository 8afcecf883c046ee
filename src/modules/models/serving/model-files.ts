import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { randomBase62 } from '../../../kernel/base62.js';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { MINUTE_MS } from '../../../kernel/spans.js';
import { Settings } from '../../../platform/config/settings.js';
import { bytesOf } from '../contents/archive.js';
import { StoredContents } from '../stored-contents.js';

const FRESH_MS = MINUTE_MS;

export interface WantedFile {
  projectId: Id<'project'>;
  fileId: Id<'file'>;
  /** The path of the model in an archive; null if the file is the model itself. */
  entry: string | null;
}

/** Keeps models as files on this machine's disk, because engines read files. A file is written once and never changes. */
@Injectable()
export class ModelFiles {
  private readonly folder: string;
  private readonly writing = new Map<string, Promise<string>>();

  constructor(
    private readonly contents: StoredContents,
    { DATA_DIR }: Settings,
  ) {
    this.folder = join(DATA_DIR, 'models');
  }

  /**
   * Writes the file unless it is on the disk, and returns its path. `onRead` is called with the share that has been
   * read, from 0 to 1.
   */
  ensure(file: WantedFile, onRead: (share: number) => void, signal: AbortSignal): Promise<string> {
    const underWay = this.writing.get(file.fileId);
    if (underWay)
      return underWay.catch(() => {
        signal.throwIfAborted();
        return this.ensure(file, onRead, signal);
      });
    const writing = this.write(file, onRead, signal).finally(() => this.writing.delete(file.fileId));
    this.writing.set(file.fileId, writing);
    return writing;
  }

  /** Deletes files that no deployment needs, and files that a process left incomplete when it died. */
  async keepOnly(fileIds: string[]): Promise<void> {
    const kept = new Set([...fileIds, ...this.writing.keys()].map((fileId) => `${fileId}.gguf`));
    const existing = await readdir(this.folder).catch(() => []);
    const unneeded = existing.filter((name) => !kept.has(name) && !kept.has(name.replace(/\.[^.]+\.part$/, '')));
    for (const path of unneeded.map((name) => join(this.folder, name))) {
      // Another process may have written the file after the caller read which files are needed.
      const { mtime } = await stat(path).catch(() => ({ mtime: clock.now() }));
      if (clock.now().getTime() - mtime.getTime() > FRESH_MS) await rm(path, { force: true });
    }
  }

  private async write(file: WantedFile, onRead: (share: number) => void, signal: AbortSignal): Promise<string> {
    const path = join(this.folder, `${file.fileId}.gguf`);
    if (await exists(path)) return path;
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const partPath = `${path}.${randomBase62(22)}.part`;
    try {
      await this.writeTo(partPath, file, onRead, signal);
      await rename(partPath, path);
    } catch (error) {
      await rm(partPath, { force: true });
      throw error;
    }
    return path;
  }

  private async writeTo(
    path: string,
    { projectId, fileId, entry }: WantedFile,
    onRead: (share: number) => void,
    signal: AbortSignal,
  ): Promise<void> {
    let read = 0;
    const content = await this.contents.open(
      projectId,
      fileId,
      (bytes) => onRead((read += bytes) / Math.max(1, content.size)),
      signal,
    );
    const target = await open(path, 'wx', 0o600);
    try {
      for await (const piece of bytesOf(content, entry)) await target.writeFile(piece);
      await target.sync();
    } finally {
      await target.close();
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
