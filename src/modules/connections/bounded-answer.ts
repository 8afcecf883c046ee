import { boundedParts } from '../../platform/outbound/bounded-parts.js';
import { streamKind } from '../../platform/outbound/stream-kind.js';

const MIB = 1024 * 1024;
const MAX_STREAM_BYTES = 32 * MIB;
/** What is parsed at once: nothing else is done meanwhile. */
const MAX_WHOLE_BYTES = 4 * MIB;
const MAX_PART_BYTES = MIB;

/** As much as is received of an answer that is to be a stream, or to come whole. */
export function maxBytesOf(isStream: boolean): number {
  return isStream ? MAX_STREAM_BYTES : MAX_WHOLE_BYTES;
}

/** An answer that is to be a stream, with as much of it as is parsed at once; it may come whole all the same. */
export function boundedStream(response: Response): Response {
  const { ok, status, statusText, headers } = response;
  const kind = ok ? streamKind(response) : undefined;
  const parts = boundedParts(kind, kind ? MAX_PART_BYTES : MAX_WHOLE_BYTES);
  return new Response(response.body?.pipeThrough(parts) ?? null, { status, statusText, headers: [...headers] });
}
