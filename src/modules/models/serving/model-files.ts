import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { randomBase62 } from '../../../kernel/base62.js';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { Settings } from '../../../platform/config/settings.js';
import { archiveFormatOf, entriesOf } from '../contents/archive.js';
import { type Content, wholeOf } from '../contents/content.js';
import { StoredContents } from '../stored-contents.js';

const FRESH_MS = 60_000;

export interface WantedFile {
  projectId: Id<'project'>;
  fileId: Id<'file'>;
  /** The one that is meant, where the file is an archive. */
  entry: string | null;
}

/** Models as files on this machine's disk, for engines that read files. Each is written once and never changed. */
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

  /** Its path; `onRead` hears how much of it has been read, from 0 to 1. */
  have(file: WantedFile, onRead: (share: number) => void, signal: AbortSignal): Promise<string> {
    const known = this.writing.get(file.fileId);
    if (known)
      return known.catch(() => {
        signal.throwIfAborted();
        return this.have(file, onRead, signal);
      });
    const writing = this.write(file, onRead, signal).finally(() => this.writing.delete(file.fileId));
    this.writing.set(file.fileId, writing);
    return writing;
  }

  /** What no deployment needs any more, and what a process that died left half written. */
  async keepOnly(fileIds: string[]): Promise<void> {
    const kept = new Set([...fileIds, ...this.writing.keys()].map((fileId) => `${fileId}.gguf`));
    const there = await readdir(this.folder).catch(() => []);
    const gone = there.filter((name) => !kept.has(name) && !kept.has(name.replace(/\.[^.]+\.part$/, '')));
    for (const path of gone.map((name) => join(this.folder, name))) {
      // Another process may have written it since whoever asked looked.
      const { mtime } = await stat(path).catch(() => ({ mtime: clock.now() }));
      if (clock.now().getTime() - mtime.getTime() > FRESH_MS) await rm(path, { force: true });
    }
  }

  private async write(file: WantedFile, onRead: (share: number) => void, signal: AbortSignal): Promise<string> {
    const path = join(this.folder, `${file.fileId}.gguf`);
    if (await exists(path)) return path;
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const half = `${path}.${randomBase62(22)}.part`;
    try {
      await this.writeTo(half, file, onRead, signal);
      await rename(half, path);
    } catch (error) {
      await rm(half, { force: true });
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
      const bytes = entry === null ? wholeOf(content) : entryOf(content, entry);
      for await (const piece of bytes) await target.writeFile(piece);
      await target.sync();
    } finally {
      await target.close();
    }
  }
}

async function* entryOf(content: Content, wanted: string): AsyncGenerator<Buffer> {
  const format = await archiveFormatOf(content);
  for await (const { path, bytes } of entriesOf(content, format!)) {
    if (path !== wanted) continue;
    yield* bytes;
    return;
  }
  throw new Error(`The archive has no ${wanted} any more`);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
