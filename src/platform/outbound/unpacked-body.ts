import { pipeline, type Readable } from 'node:stream';
import * as zlib from 'node:zlib';

/** An end in the middle of a compressed body is no error, as in browsers. */
const LENIENT = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
const UNPACKING: ReadonlyMap<string, () => NodeJS.ReadWriteStream & Readable> = new Map([
  ['gzip', () => zlib.createGunzip(LENIENT)],
  ['x-gzip', () => zlib.createGunzip(LENIENT)],
  ['deflate', () => zlib.createInflate(LENIENT)],
  ['br', () => zlib.createBrotliDecompress()],
]);
/** More of them would let a small answer occupy much memory. */
const MOST_CODINGS = 5;

/** Undoes the codings of a body, the last of which was applied last. A body of an unknown coding stays as it is. */
export function unpackedBody(body: Readable, codings: string | null): Readable {
  const steps = (codings?.split(',') ?? []).reverse().map((coding) => UNPACKING.get(coding.trim().toLowerCase()));
  if (steps.length > MOST_CODINGS || !steps.every((step) => step !== undefined)) return body;
  // `pipeline` destroys all streams if one of them ends early, and passes the error on.
  return steps.reduce<Readable>((stream, step) => pipeline(stream, step(), () => undefined), body);
}
