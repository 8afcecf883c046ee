import { ByteReader } from './byte-reader.js';
import { TENSOR_TYPES, type TensorType } from './ggml-types.js';
import { ImportFault } from './import-fault.js';
import { quoted } from './quoted.js';

export type MetaValue = string | number | boolean;

export interface GgufTensor {
  readonly name: string;
  readonly type: TensorType;
  readonly values: number;
  readonly offset: number;
  readonly bytes: number;
}

export interface GgufHeader {
  /** The metadata. Of a list, only its length is kept, such as `[3]`. */
  readonly meta: ReadonlyMap<string, MetaValue>;
  readonly tensors: readonly GgufTensor[];
  /** The position in the file at which the last tensor ends. */
  readonly end: number;
}

/** These limits are far above what models have, and keep a forged header from exhausting the process. */
const MOST_MEMBERS = 65_536;
const MOST_TENSORS = 262_144;
const LONGEST_KEY = 1_024;
const LONGEST_NAME = 256;
const LONGEST_TEXT = 16 * 1024 * 1024;
const MOST_ELEMENTS = 16_777_216;
const LONGEST_HEADER = 1024 ** 3;
/** The number of bytes that are kept of a text, of which even less is shown. */
const KEPT_TEXT = 1_024;
const DEFAULT_ALIGNMENT = 32;

const STRING = 8;
const ARRAY = 9;
/** The bytes of a value by the number of its type. Strings and lists are missing, because their size varies. */
const SIZES: Record<number, number> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 };

/** Reads everything before the tensors, and checks every number in it. The tensors themselves are not read. */
export async function readGgufHeader(bytes: AsyncIterable<Buffer>): Promise<GgufHeader> {
  const reader = new HeaderReader(new ByteReader(bytes));
  try {
    return await reader.read();
  } finally {
    await reader.close();
  }
}

class HeaderReader {
  constructor(private readonly bytes: ByteReader) {}

  async read(): Promise<GgufHeader> {
    if ((await this.bytes.take(4)).toString('latin1') !== 'GGUF') throw invalid('it does not begin with "GGUF"');
    const version = await this.uint32();
    if (version !== 2 && version !== 3) throw invalid(`version ${version} of GGUF is not supported; 2 and 3 are`);
    const tensorCount = await this.count(MOST_TENSORS, 'tensors');
    const memberCount = await this.count(MOST_MEMBERS, 'members');
    const meta = await this.members(memberCount);
    const alignment = alignmentIn(meta);
    const placed = await this.tensors(tensorCount);
    const start = Math.ceil(this.bytes.position / alignment) * alignment;
    const tensors = placed.map((tensor) => ({ ...tensor, offset: start + tensor.offset }));
    const misplaced = placed.find(({ offset }) => offset % alignment !== 0);
    if (misplaced) throw invalid(`the tensor ${quoted(misplaced.name)} does not begin at a multiple of ${alignment}`);
    const end = tensors.reduce((latest, { offset, bytes }) => Math.max(latest, offset + bytes), start);
    return { meta, tensors, end };
  }

  close(): Promise<void> {
    return this.bytes.close();
  }

  private async members(count: number): Promise<Map<string, MetaValue>> {
    const meta = new Map<string, MetaValue>();
    for (let at = 0; at < count; at += 1) {
      const key = await this.string(LONGEST_KEY);
      if (meta.has(key)) throw invalid(`${quoted(key)} occurs twice`);
      meta.set(key, await this.value(await this.uint32()));
      this.checkLength();
    }
    return meta;
  }

  private async value(type: number): Promise<MetaValue> {
    if (type === STRING) return this.string(LONGEST_TEXT, KEPT_TEXT);
    if (type === ARRAY) return this.list();
    const size = SIZES[type];
    if (size === undefined) throw invalid(`a value has the unknown type ${type}`);
    return numberIn(await this.bytes.take(size), type);
  }

  private async list(): Promise<MetaValue> {
    const type = await this.uint32();
    const length = await this.count(MOST_ELEMENTS, 'elements of a list');
    const size = SIZES[type];
    if (size !== undefined) await this.bytes.skip(length * size);
    else if (type === STRING) await this.strings(length);
    else throw invalid(`a list has elements of the unknown type ${type}`);
    return `[${length}]`;
  }

  private async strings(length: number): Promise<void> {
    for (let at = 0; at < length; at += 1) {
      await this.bytes.skip(await this.count(LONGEST_TEXT, 'bytes of a text'));
      this.checkLength();
    }
  }

  private async tensors(count: number): Promise<GgufTensor[]> {
    const tensors: GgufTensor[] = [];
    const names = new Set<string>();
    for (let at = 0; at < count; at += 1) {
      const tensor = await this.tensor();
      if (names.has(tensor.name)) throw invalid(`the tensor ${quoted(tensor.name)} occurs twice`);
      names.add(tensor.name);
      tensors.push(tensor);
      this.checkLength();
    }
    return tensors;
  }

  private async tensor(): Promise<GgufTensor> {
    const name = await this.string(LONGEST_NAME);
    const dimensions = await this.uint32();
    if (dimensions < 1 || dimensions > 4) throw invalid(`the tensor ${quoted(name)} has ${dimensions} dimensions`);
    let values = 1;
    let width = 0;
    for (let at = 0; at < dimensions; at += 1) {
      const size = await this.uint64();
      if (at === 0) width = size;
      values *= size;
    }
    const number = await this.uint32();
    const type = TENSOR_TYPES.get(number);
    if (!type) throw invalid(`the tensor ${quoted(name)} has the type ${number}, which is not supported`);
    if (!Number.isSafeInteger(values) || values < 1)
      throw invalid(`the tensor ${quoted(name)} has an impossible shape`);
    if (width % type.values !== 0)
      throw invalid(`the rows of the tensor ${quoted(name)} are not a multiple of its blocks`);
    const bytes = (values / type.values) * type.bytes;
    return { name, type, values, offset: await this.uint64(), bytes };
  }

  private async string(longest: number, kept = longest): Promise<string> {
    const bytes = await this.bytes.take(await this.count(longest, 'bytes of a text'));
    return bytes.subarray(0, kept).toString();
  }

  private async count(max: number, what: string): Promise<number> {
    const count = await this.uint64();
    if (count > max) throw invalid(`it announces ${count} ${what}`);
    return count;
  }

  private async uint32(): Promise<number> {
    return (await this.bytes.take(4)).readUInt32LE();
  }

  private async uint64(): Promise<number> {
    return Number((await this.bytes.take(8)).readBigUInt64LE());
  }

  private checkLength(): void {
    if (this.bytes.position > LONGEST_HEADER) throw invalid('its header is not complete');
  }
}

function alignmentIn(meta: ReadonlyMap<string, MetaValue>): number {
  const alignment = meta.get('general.alignment') ?? DEFAULT_ALIGNMENT;
  const isPower =
    typeof alignment === 'number' && alignment >= 1 && alignment <= 65_536 && Number.isInteger(Math.log2(alignment));
  if (!isPower) throw invalid('its alignment is not a power of two');
  return alignment;
}

function numberIn(bytes: Buffer, type: number): MetaValue {
  switch (type) {
    case 6:
      return bytes.readFloatLE();
    case 7:
      return bytes[0] !== 0;
    case 10:
      return Number(bytes.readBigUInt64LE());
    case 11:
      return Number(bytes.readBigInt64LE());
    case 12:
      return bytes.readDoubleLE();
    default:
      return type % 2 === 0 ? bytes.readUIntLE(0, bytes.length) : bytes.readIntLE(0, bytes.length);
  }
}

function invalid(what: string): ImportFault {
  return new ImportFault('MODEL_FILE_INVALID', `The file is not a GGUF model that can be read: ${what}.`);
}
