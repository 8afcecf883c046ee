import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { membersAsWritten } from '../../../kernel/json-outline.js';
import { ByteReader } from './byte-reader.js';
import type { Entry } from './content.js';
import { ImportFault } from './import-fault.js';
import { quoted } from './quoted.js';

/** These limits are far above what models have, and keep a forged header from exhausting the process. */
const LONGEST_HEADER = 32 * 1024 * 1024;
const LONGEST_MEMBER = 4 * 1024 * 1024;
const MOST_TENSORS = 262_144;
/** After this many tensors, other work of the process has its turn. */
const TENSORS_AT_A_TIME = 1_000;

const BITS: Record<string, number> = {
  F64: 64,
  F32: 32,
  F16: 16,
  BF16: 16,
  F8_E4M3: 8,
  F8_E5M2: 8,
  F8_E8M0: 8,
  F4: 4,
  I64: 64,
  U64: 64,
  I32: 32,
  U32: 32,
  I16: 16,
  U16: 16,
  I8: 8,
  U8: 8,
  BOOL: 8,
  C64: 64,
};

const size = z.number().int().min(0);
const Tensor = z.object({ dtype: z.string(), shape: z.array(size).max(8), data_offsets: z.tuple([size, size]) });

export interface Safetensors {
  parameters: number;
  /** The type that most of the values have. */
  type: string;
}

/** Checks the header of a safetensors file against its size. The tensors themselves are not read. */
export async function inspectSafetensors(entry: Entry): Promise<Safetensors> {
  const reader = new ByteReader(entry.bytes);
  try {
    return await inspect(reader, entry.size);
  } finally {
    await reader.close();
  }
}

async function inspect(reader: ByteReader, fileSize: number): Promise<Safetensors> {
  const length = Number((await reader.take(8)).readBigUInt64LE());
  if (length > LONGEST_HEADER) throw invalid(`its header declares a length of ${length} bytes`);
  if (8 + length > fileSize) throw truncated(8 + length, fileSize);
  const tensors = await tensorsIn((await reader.take(length)).toString());
  const end = 8 + length + tensors.reduce((latest, { end: last }) => Math.max(latest, last), 0);
  if (end > fileSize) throw truncated(end, fileSize);
  if (end < fileSize) throw invalid('it is longer than its tensors');
  const counts = new Map<string, number>();
  for (const { type, values } of tensors) counts.set(type, (counts.get(type) ?? 0) + values);
  const [type] = [...counts].reduce((most, next) => (next[1] > most[1] ? next : most));
  return { type, parameters: tensors.reduce((sum, { values }) => sum + values, 0) };
}

interface Placed {
  type: string;
  values: number;
  begin: number;
  end: number;
}

async function tensorsIn(header: string): Promise<Placed[]> {
  const names = new Set<string>();
  const placed: Placed[] = [];
  for (const member of membersAsWritten(header) ?? noObject()) {
    const [name, tensor] = memberIn(`{${member}}`);
    if (names.has(name)) throw invalid(`${quoted(name)} occurs twice`);
    names.add(name);
    if (name !== '__metadata__') placed.push(placedTensor(name, tensor));
    if (placed.length > MOST_TENSORS) throw invalid(`it has more than ${MOST_TENSORS} tensors`);
    if (placed.length % TENSORS_AT_A_TIME === 0) await nextTurn();
  }
  if (placed.length === 0) throw invalid('it has no tensors');
  return inPlace(placed);
}

function inPlace(tensors: Placed[]): Placed[] {
  tensors.sort((a, b) => a.begin - b.begin || a.end - b.end);
  tensors.reduce((end, tensor) => {
    if (tensor.begin !== end) throw invalid('its tensors overlap or have gaps between them');
    return tensor.end;
  }, 0);
  return tensors;
}

function memberIn(text: string): [string, unknown] {
  if (text.length > LONGEST_MEMBER) throw invalid('a member of its header has more than 4 MiB');
  const [member] = Object.entries(objectIn(text));
  if (!member) throw invalid('it has a member without a name, or no tensors');
  return member;
}

function objectIn(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    return noObject();
  }
}

function noObject(): never {
  throw invalid('its header is not a JSON object');
}

function placedTensor(name: string, tensor: unknown): Placed {
  const { data, success } = Tensor.safeParse(tensor);
  const what = `the tensor ${quoted(name)}`;
  if (!success) throw invalid(`${what} is not described by dtype, shape and data_offsets`);
  const bits = BITS[data.dtype];
  if (bits === undefined) throw invalid(`${what} has a type that is not supported`);
  const [begin, end] = data.data_offsets;
  const values = data.shape.reduce((product, n) => product * n, 1);
  if ((values * bits) / 8 !== end - begin) throw invalid(`${what} has another number of bytes than its shape needs`);
  return { type: data.dtype, values, begin, end };
}

function invalid(what: string): ImportFault {
  return new ImportFault('MODEL_FILE_INVALID', `The file is not a safetensors file that can be read: ${what}.`);
}

function truncated(needed: number, has: number): ImportFault {
  return new ImportFault('MODEL_FILE_TRUNCATED', `The file has ${has} bytes and needs ${needed}. Upload all of it.`);
}
