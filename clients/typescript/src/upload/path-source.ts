import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Content } from './source.js';

export async function openPath(path: string): Promise<Content> {
  const file = await open(path);
  const { size } = await file.stat();
  return {
    name: basename(path),
    size,
    async slice(from, to) {
      const bytes = new Uint8Array(to - from);
      let read = 0;
      while (read < bytes.length) {
        const { bytesRead } = await file.read(bytes, read, bytes.length - read, from + read);
        if (bytesRead === 0) throw new Error(`${path} became shorter while it was uploaded.`);
        read += bytesRead;
      }
      return new Blob([bytes]);
    },
    close: () => file.close(),
  };
}
