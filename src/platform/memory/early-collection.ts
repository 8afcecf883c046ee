import { collect } from './collect.js';

const COLLECT_EVERY_BYTES = 24 * 1024 * 1024;

let uncollected = 0;

/**
 * Passes on the pieces of a content, each of which is garbage afterwards. Their bytes are outside the heap, and V8
 * collects the whole heap after every 64 MiB of such bytes, which took a third of the processor time of an upload. A
 * minor collection is enough if it is requested early.
 */
export async function* collectingEarly(pieces: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    yield piece;
    uncollected += piece.length;
    if (uncollected < COLLECT_EVERY_BYTES) continue;
    uncollected = 0;
    void collect({ type: 'minor' });
  }
}
