import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const COLLECT_EVERY_BYTES = 24 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as NodeJS.GCFunction;
let uncollected = 0;

/**
 * The pieces of a content, each dead once it is passed on. Their bytes lie outside of the heap, where the collector
 * counts them, and it goes through the whole heap after every 64 MiB; of an upload that took a third of all computing.
 * It need only go through what is young, and does when it is asked in time.
 */
export async function* passing(pieces: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    yield piece;
    uncollected += piece.length;
    if (uncollected < COLLECT_EVERY_BYTES) continue;
    uncollected = 0;
    void collect({ type: 'minor' });
  }
}
