import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import type { File } from '../files/file.entity.js';
import { FilesService } from '../files/files.service.js';
import type { Content } from './contents/content.js';

/** Opens the contents of uploaded files for imports and hosts. */
@Injectable()
export class StoredContents {
  constructor(private readonly files: FilesService) {}

  /** `onRead` is called with the number of bytes of each piece that is read. */
  async open(
    projectId: Id<'project'>,
    fileId: Id<'file'>,
    onRead: (bytes: number) => void = () => undefined,
    signal?: AbortSignal,
  ): Promise<Content> {
    const file = await this.files.read(projectId, fileId);
    const read = (start: number, end: number) => this.read(file, { start, end }, onRead, signal);
    return { name: file.name, extension: file.extension, size: file.size, read };
  }

  private async *read(
    file: File,
    range: { start: number; end: number },
    onRead: (bytes: number) => void,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Buffer> {
    for await (const piece of await this.files.readContent(file, range)) {
      signal?.throwIfAborted();
      onRead(piece.length);
      yield piece;
    }
  }
}
