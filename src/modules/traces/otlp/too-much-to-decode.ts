import protobuf from 'protobufjs';
import { TOO_DEEP } from '../../../kernel/json-rules.js';

const MAX_DEPTH = 64;
const LENGTH_DELIMITED = 2;

/**
 * Why a message in protobuf is too much to be decoded, told by the tags of its fields, which takes a moment where decoding
 * takes seconds. Throws where the bytes are no message.
 */
export function tooMuchToDecode(type: protobuf.Type, bytes: Uint8Array, mostValues: number): string | undefined {
  const reader = protobuf.Reader.create(bytes);
  let fields = 0;

  function walk(message: protobuf.Type, end: number, depth: number): string | undefined {
    if (depth > MAX_DEPTH) return TOO_DEEP;
    while (reader.pos < end) {
      fields += 1;
      if (fields > mostValues) return `has more than ${mostValues} values`;
      const tag = reader.tag();
      const [id, wireType] = [tag >>> 3, tag & 7];
      const inner = wireType === LENGTH_DELIMITED ? message.fieldsById[id]?.resolve().resolvedType : null;
      if (inner instanceof protobuf.Type) {
        const fault = walk(inner, reader.uint32() + reader.pos, depth + 1);
        if (fault) return fault;
      } else reader.skipType(wireType, depth, id);
    }
    return undefined;
  }

  return walk(type, reader.len, 1);
}
