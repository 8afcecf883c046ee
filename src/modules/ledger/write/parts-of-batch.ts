import { dimsOf, type Dim, type StoredCall } from './stored-call.js';

/** The driver encodes this many characters in a moment. */
const PART_LENGTH = 1_048_576;

/** Calls that are written in one statement. */
export interface PartOfBatch {
  calls: StoredCall[];
  /** The combinations of filter values that are written with them. */
  dims: Dim[];
}

/**
 * Divides a batch into the parts that a transaction writes one after another. Encoding many megabytes at once would keep
 * all others waiting.
 *
 * Every transaction locks all of its keys in the order of the database before it locks combinations, so that two cannot
 * deadlock. Calls are therefore sorted, and the last part has the combinations of all.
 */
export function partsOfBatch(calls: readonly StoredCall[]): PartOfBatch[] {
  const dims = dimsOf(calls);
  if (calls.reduce((sum, call) => sum + lengthOf(call), 0) <= PART_LENGTH) return [{ calls: [...calls], dims }];
  const parts: PartOfBatch[] = [];
  let room = 0;
  for (const call of inOrderOfKeys(calls)) {
    if (room <= 0) {
      parts.push({ calls: [], dims: [] });
      room = PART_LENGTH;
    }
    parts.at(-1)!.calls.push(call);
    room -= lengthOf(call);
  }
  parts.at(-1)!.dims = dims;
  return parts;
}

function lengthOf({ jsonAfterNumber, payload }: StoredCall): number {
  return jsonAfterNumber.length + (payload?.length ?? 0);
}

/** The database compares keys byte by byte. */
function inOrderOfKeys(calls: readonly StoredCall[]): StoredCall[] {
  return calls
    .map((call) => ({ call, bytes: Buffer.from(call.callId) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ call }) => call);
}
