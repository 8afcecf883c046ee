/** This file writes GGUF v3, as much of it as tiny models need. */

export type MetaValue =
  | { type: 'u32'; value: number }
  | { type: 'f32'; value: number }
  | { type: 'bool'; value: boolean }
  | { type: 'string'; value: string }
  | { type: 'strings'; value: string[] }
  | { type: 'f32s'; value: number[] }
  | { type: 'i32s'; value: number[] };

export interface Tensor {
  name: string;
  /** The order is that of GGUF: the dimension that varies fastest comes first. */
  shape: number[];
  values: Float32Array;
}

export interface GgufParts {
  meta: Record<string, MetaValue>;
  tensors: Tensor[];
  magic?: string;
  version?: number;
}

const ALIGNMENT = 32;
const TYPES = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 };

export const u32 = (value: number): MetaValue => ({ type: 'u32', value });
export const f32 = (value: number): MetaValue => ({ type: 'f32', value });
export const text = (value: string): MetaValue => ({ type: 'string', value });

export function writeGguf({ meta, tensors, magic = 'GGUF', version = 3 }: GgufParts): Buffer<ArrayBuffer> {
  const head = [
    Buffer.from(magic, 'latin1'),
    uint32(version),
    uint64(tensors.length),
    uint64(Object.keys(meta).length),
    ...Object.entries(meta).flatMap(([key, value]) => [string(key), ...metaValue(value)]),
  ];
  let offset = 0;
  for (const { name, shape, values } of tensors) {
    head.push(string(name), uint32(shape.length), ...shape.map(uint64), uint32(0), uint64(offset));
    offset += aligned(values.byteLength);
  }
  const header = padded(Buffer.concat(head));
  const bodies = tensors.map(({ values }) => padded(Buffer.from(values.buffer, values.byteOffset, values.byteLength)));
  return Buffer.concat([header, ...bodies]);
}

function metaValue(meta: MetaValue): Buffer[] {
  switch (meta.type) {
    case 'u32':
      return [uint32(TYPES.u32), uint32(meta.value)];
    case 'f32':
      return [uint32(TYPES.f32), float32(meta.value)];
    case 'bool':
      return [uint32(TYPES.bool), Buffer.from([meta.value ? 1 : 0])];
    case 'string':
      return [uint32(TYPES.string), string(meta.value)];
    case 'strings':
      return [...array(TYPES.string, meta.value.length), ...meta.value.map(string)];
    case 'f32s':
      return [...array(TYPES.f32, meta.value.length), ...meta.value.map(float32)];
    case 'i32s':
      return [...array(TYPES.i32, meta.value.length), ...meta.value.map(uint32)];
  }
}

const array = (type: number, length: number) => [uint32(TYPES.array), uint32(type), uint64(length)];
const aligned = (bytes: number) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(aligned(bytes.length) - bytes.length)]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function float32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function string(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint64(bytes.length), bytes]);
}
