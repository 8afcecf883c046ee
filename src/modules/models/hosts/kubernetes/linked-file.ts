import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { bytesOf } from '../../contents/archive.js';
import type { Content } from '../../contents/content.js';

const FIRST_PAUSE_MS = 1_000;
const ATTEMPTS = 6;
/** The statuses below 500 after which another attempt may succeed: a timeout, and a limit of requests. */
const PASSING_STATUSES = [408, 429];

/** A link does not lead to a file. The message does not have the link, which is a credential. */
class LinkFault extends Error {
  constructor(
    message: string,
    readonly isFinal: boolean,
  ) {
    super(message);
  }
}

/**
 * Writes the file behind a link, or one from the archive behind it, to the disk. Tries again if the service does not send
 * it, and says why.
 */
export async function writeLinked(
  linkNow: () => Promise<string>,
  entry: string | null,
  path: string,
  say: (words: string) => void,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const content = await contentAt(await linkNow());
      return await pipeline(Readable.from(bytesOf(content, entry)), createWriteStream(path));
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof LinkFault) || error.isFinal) throw error;
      say(`The replica tries again to read its model: ${error.message}`);
    }
    await wait(FIRST_PAUSE_MS * 2 ** (attempt - 1));
  }
}

async function contentAt(link: string): Promise<Content> {
  const { headers, body } = await read(link, 0, 0);
  await body?.cancel();
  const size = Number(/\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1]);
  if (!size) throw new LinkFault('the link to its file does not lead to a file.', true);
  return {
    name: 'model',
    extension: '',
    size,
    read: async function* (start, end) {
      const { body } = await read(link, start, end);
      try {
        for await (const piece of body ?? []) yield Buffer.from(piece);
      } catch {
        throw new LinkFault('the connection to the service broke off.', false);
      }
    },
  };
}

async function read(link: string, start: number, end: number): Promise<Response> {
  const answer = await fetch(link, { headers: { range: `bytes=${start}-${end}` } }).catch(() => undefined);
  if (!answer) throw new LinkFault('the service that has its file cannot be reached (PUBLIC_URL).', false);
  if (answer.status === 206) return answer;
  await answer.body?.cancel();
  const isFinal = answer.status < 500 && !PASSING_STATUSES.includes(answer.status);
  throw new LinkFault(`the link to its file is answered ${answer.status}.`, isFinal);
}
