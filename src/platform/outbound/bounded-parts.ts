import { OutboundFault } from './outbound.errors.js';
import type { StreamKind } from './stream-kind.js';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** What an answer goes through: it fails once one of its parts, or the whole where it has none, has more bytes. */
export function boundedParts(kind: StreamKind | undefined, maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let partBytes = 0;
  let isBlank = true;
  const count = (bytes: Uint8Array): void => {
    isBlank &&= bytes.every((byte) => byte === CARRIAGE_RETURN);
    partBytes += bytes.length;
    if (partBytes > maxBytes) throw new OutboundFault('tooLarge');
  };
  const endLine = (): void => {
    if (kind === 'lines' || (kind === 'events' && isBlank)) partBytes = 0;
    isBlank = true;
  };
  return new TransformStream({
    transform(chunk, controller) {
      let begin = 0;
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, begin)) {
        count(chunk.subarray(begin, end));
        endLine();
        begin = end + 1;
      }
      count(chunk.subarray(begin));
      controller.enqueue(chunk);
    },
  });
}
