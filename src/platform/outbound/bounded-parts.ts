import { OutboundFault } from './outbound.errors.js';
import type { StreamKind } from './stream-kind.js';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** The line with which OpenAI and compatible providers end a stream. Not all of them close the connection too. */
const LAST_LINE = /^data: ?\[DONE\]\r?$/;
const MAX_LAST_LINE_BYTES = 'data: [DONE]\r'.length;

/**
 * Limits the size of an answer's parts: the stream fails once an event, a line, or an answer without parts has more
 * bytes. A stream of events ends with its last line.
 */
export function boundedParts(kind: StreamKind | undefined, maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let partBytes = 0;
  let lineBytes = 0;
  let lineBegin = '';
  let isBlank = true;
  const count = (bytes: Uint8Array): void => {
    isBlank &&= bytes.every((byte) => byte === CARRIAGE_RETURN);
    if (lineBytes <= MAX_LAST_LINE_BYTES) lineBegin += String.fromCharCode(...bytes.subarray(0, MAX_LAST_LINE_BYTES));
    lineBytes += bytes.length;
    partBytes += bytes.length;
    if (partBytes > maxBytes) throw new OutboundFault('tooLarge');
  };
  const endLine = (): boolean => {
    const isLast = kind === 'events' && lineBytes <= MAX_LAST_LINE_BYTES && LAST_LINE.test(lineBegin);
    if (kind === 'lines' || (kind === 'events' && isBlank)) partBytes = 0;
    [isBlank, lineBytes, lineBegin] = [true, 0, ''];
    return isLast;
  };
  return new TransformStream({
    transform(chunk, controller) {
      let begin = 0;
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, begin)) {
        count(chunk.subarray(begin, end));
        begin = end + 1;
        if (!endLine()) continue;
        controller.enqueue(chunk.subarray(0, begin));
        controller.terminate();
        return;
      }
      count(chunk.subarray(begin));
      controller.enqueue(chunk);
    },
  });
}
