import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { SlipwayError } from '../errors.js';
import type { Content } from './source.js';

export async function openPath(path: string): Promise<Content> {
  const file = await open(path).catch((error: unknown) => {
    throw unreadable(path, 'It does not exist, or this user may not read it.', error);
  });
  const facts = await file.stat();
  if (!facts.isFile()) {
    await file.close();
    throw unreadable(path, facts.isDirectory() ? 'It is a folder.' : 'It is not a file.');
  }
  const { size } = facts;
  return {
    name: basename(path),
    size,
    async slice(from, to) {
      const bytes = new Uint8Array(to - from);
      let read = 0;
      while (read < bytes.length) {
        const { bytesRead } = await file.read(bytes, read, bytes.length - read, from + read);
        if (bytesRead === 0) throw unreadable(path, 'It became shorter while it was uploaded.');
        read += bytesRead;
      }
      return new Blob([bytes]);
    },
    close: () => file.close(),
  };
}

function unreadable(path: string, reason: string, cause?: unknown): SlipwayError {
  return new SlipwayError('FILE_NOT_READABLE', `${path} cannot be read. ${reason}`, { cause });
}
