import { OutboundFault } from './outbound.errors.js';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** What a stream of events goes through: it fails once one event, up to its blank line, has more than so many bytes. */
export function boundedEvents(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let eventBytes = 0;
  let isBlank = true;
  const count = (bytes: Uint8Array): void => {
    isBlank &&= bytes.every((byte) => byte === CARRIAGE_RETURN);
    eventBytes += bytes.length;
    if (eventBytes > maxBytes) throw new OutboundFault('tooLarge');
  };
  const endLine = (): void => {
    if (isBlank) eventBytes = 0;
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
