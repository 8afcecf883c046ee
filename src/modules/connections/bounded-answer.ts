import { boundedParts } from '../../platform/outbound/bounded-parts.js';
import { streamKind } from '../../platform/outbound/stream-kind.js';

const MIB = 1024 * 1024;
const MAX_STREAM_BYTES = 32 * MIB;
/** Limits what is parsed at once, because parsing blocks the process. */
const MAX_COMPLETE_BYTES = 4 * MIB;
const MAX_PART_BYTES = MIB;

/** Returns how much of an answer is received. Streams may be longer, because they are parsed in parts. */
export function maxBytesOf(isStream: boolean): number {
  return isStream ? MAX_STREAM_BYTES : MAX_COMPLETE_BYTES;
}

/** Limits each part of a streamed answer, and the whole of it if the provider does not stream after all. */
export function boundedStream(response: Response): Response {
  const { ok, status, statusText, headers } = response;
  const kind = ok ? streamKind(response) : undefined;
  const parts = boundedParts(kind, kind ? MAX_PART_BYTES : MAX_COMPLETE_BYTES);
  return new Response(response.body?.pipeThrough(parts) ?? null, { status, statusText, headers: [...headers] });
}
