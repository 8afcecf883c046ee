import { partsByLength } from '../../../kernel/parts.js';
import { dimsOf, type Dim, type StoredCall } from './stored-call.js';

/** Calls that are written in one statement. */
export interface PartOfBatch {
  calls: StoredCall[];
  /** The combinations of filter values that are written with them. */
  dims: Dim[];
}

/**
 * Divides a batch into the parts that a transaction writes one after another.
 *
 * Every transaction locks all of its keys in the order of the database before it locks combinations, so that two cannot
 * deadlock. The calls of several parts are therefore sorted, and the last part has the combinations of all.
 */
export function partsOfBatch(calls: readonly StoredCall[]): PartOfBatch[] {
  const dims = dimsOf(calls);
  if (partsByLength(calls, lengthOf).length <= 1) return [{ calls: [...calls], dims }];
  const parts = partsByLength(inOrderOfKeys(calls), lengthOf).map((part): PartOfBatch => ({ calls: part, dims: [] }));
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
