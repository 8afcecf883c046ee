import { isJsonObject, parseJson } from '../../kernel/json.js';
import { shortened } from '../../kernel/shortened.js';

/** Shortens a JSON list of messages so that it stays one. Any other text is shortened as a text. */
export function shortenedMessages(text: string, length: number): string {
  const messages = text.length > length ? parseJson(text) : undefined;
  return Array.isArray(messages) ? latestMessages(messages, length) : shortened(text, length);
}

/** Writes messages as a JSON list: the latest of them that fit. No others are written, because they may be large. */
export function latestMessages(messages: readonly unknown[], length: number): string {
  const kept: string[] = [];
  let room = length - 2;
  for (const message of messages.toReversed()) {
    const written = JSON.stringify(message);
    if (written.length + 1 > room) {
      if (kept.length === 0) kept.push(JSON.stringify(cut(message, written, room)));
      break;
    }
    kept.push(written);
    room -= written.length + 1;
  }
  return `[${kept.reverse().join(',')}]`;
}

/**
 * Cuts a single message that is too long. A character takes at most six in JSON, so a seventh of the room always fits.
 */
function cut(message: unknown, written: string, room: number): object {
  const { role, content } = isJsonObject(message) ? message : {};
  const text = typeof content === 'string' ? content : written;
  return { role: typeof role === 'string' ? role.slice(0, 64) : '', content: shortened(text, Math.floor(room / 7)) };
}
