import { pipeline, type Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { OutboundFault } from './outbound.errors.js';

/** An empty body, or one that ends too early, is no error, as in browsers. */
const LENIENT = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
const { BROTLI_OPERATION_FLUSH: FLUSH } = zlib.constants;
const UNPACKING: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', () => zlib.createGunzip(LENIENT)],
  ['x-gzip', () => zlib.createGunzip(LENIENT)],
  ['br', () => zlib.createBrotliDecompress({ flush: FLUSH, finishFlush: FLUSH })],
]);
const MOST_CODINGS = 5;

/**
 * Undoes the codings of a body, the last of which was applied last. A body of an unknown coding stays as it is. Reading
 * fails if the body has more bytes before one of the steps than the limit, because a small body can become a large one
 * that becomes a small one again.
 */
export function unpackedBody(body: Readable, codings: string | null, maxBytes: number): Readable {
  const steps = (codings?.split(',') ?? []).reverse().map((coding) => UNPACKING.get(coding.trim().toLowerCase()));
  if (steps.length > MOST_CODINGS || !steps.every((step) => step !== undefined)) return body;
  // `pipeline` destroys all streams if one of them ends early, and passes the error on.
  return steps.reduce<Readable>((packed, step) => pipeline(packed, upTo(maxBytes), step(), () => undefined), body);
}

function upTo(maxBytes: number) {
  return async function* (chunks: AsyncIterable<Uint8Array>) {
    let received = 0;
    for await (const chunk of chunks) {
      received += chunk.byteLength;
      if (received > maxBytes) throw new OutboundFault('tooLarge');
      yield chunk;
    }
  };
}
