import type { Reader, Type } from 'protobufjs';
import { TOO_DEEP } from '../../../kernel/json-rules.js';

const MAX_DEPTH = 64;
const LENGTH_DELIMITED = 2;

/**
 * Returns which limit a protobuf message exceeds, or undefined if it may be decoded. It reads only the tags of the
 * fields, which is far faster than decoding a hostile message. It throws if the bytes are not such a message.
 */
export function exceededLimit(type: Type, reader: Reader, maxValues: number): string | undefined {
  let fields = 0;

  function walk(message: Type, end: number, depth: number): string | undefined {
    if (depth > MAX_DEPTH) return TOO_DEEP;
    while (reader.pos < end) {
      fields += 1;
      if (fields > maxValues) return `has more than ${maxValues} values`;
      const tag = reader.tag();
      const [id, wireType] = [tag >>> 3, tag & 7];
      const inner = wireType === LENGTH_DELIMITED ? message.fieldsById[id]?.resolve().resolvedType : null;
      if (inner && 'fieldsById' in inner) {
        const fault = walk(inner, reader.uint32() + reader.pos, depth + 1);
        if (fault) return fault;
      } else reader.skipType(wireType, depth, id);
    }
    return undefined;
  }

  return walk(type, reader.len, 1);
}
