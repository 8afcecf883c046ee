import { shortened } from '../../../kernel/shortened.js';
import type { Entry } from './content.js';
import type { Inspected } from './facts.js';
import { FILE_TYPES } from './ggml-types.js';
import { type GgufHeader, type MetaValue, readGgufHeader } from './gguf-header.js';
import { ImportFault } from './import-fault.js';
import { quoted } from './quoted.js';

/** Architectures without attention, which have no heads. */
const HEADLESS = /mamba|rwkv/;
const LONGEST_NAME = 256;

/** Finds out what a GGUF file is and whether it is complete, without running anything of it. */
export async function inspectGguf({ bytes, size }: Entry): Promise<Inspected> {
  const header = await readGgufHeader(bytes);
  if (header.end > size) {
    throw new ImportFault(
      'MODEL_FILE_TRUNCATED',
      `The file has ${size} bytes, and its tensors need ${header.end}. Upload all of it.`,
    );
  }
  const { meta } = header;
  const parts = meta.get('split.count');
  if (typeof parts === 'number' && parts > 1) {
    throw new ImportFault(
      'MODEL_INCOMPLETE',
      `This is one of ${parts} parts of a model. Merge them (llama-gguf-split --merge) and upload the one file.`,
    );
  }
  const isAdapter = meta.get('general.type') === 'adapter';
  const architecture = architectureIn(meta);
  if (header.tensors.length === 0) throw invalid('it has no tensors');
  checkFinite(meta);
  if (!isAdapter) checkNumbers(meta, architecture);
  return { kind: isAdapter ? 'adapter' : 'model', facts: factsOf(header, architecture, isAdapter) };
}

function factsOf({ meta, tensors }: GgufHeader, architecture: string, isAdapter: boolean): Inspected['facts'] {
  const contextLength = meta.get(`${architecture}.context_length`);
  const name = textAt(meta, 'general.name');
  const baseModel = textAt(meta, 'general.base_model.0.name');
  return {
    format: 'gguf',
    architecture,
    parameters: tensors.reduce((sum, { values }) => sum + values, 0),
    quantisation: quantisationOf({ meta, tensors }),
    ...(typeof contextLength === 'number' && { contextLength }),
    ...(name !== undefined && { name }),
    ...(isAdapter
      ? baseModel !== undefined && { baseModel }
      : { hasChatTemplate: meta.has('tokenizer.chat_template') }),
  };
}

function architectureIn(meta: ReadonlyMap<string, MetaValue>): string {
  const architecture = meta.get('general.architecture');
  if (typeof architecture !== 'string' || !/^[\w.-]{1,64}$/.test(architecture)) {
    throw invalid('it does not name its architecture');
  }
  return architecture;
}

/** Checks the numbers by which the engine divides, or on which it aborts its process. */
function checkNumbers(meta: ReadonlyMap<string, MetaValue>, architecture: string): void {
  const needed = ['context_length', 'embedding_length', 'block_count'];
  if (!HEADLESS.test(architecture)) needed.push('attention.head_count');
  for (const member of needed) {
    const value = meta.get(`${architecture}.${member}`);
    // A list with a number for each layer is left to the engine.
    if (typeof value === 'string') continue;
    if (typeof value !== 'number' || !(value >= 1 && value <= 4_294_967_295)) {
      throw invalid(`${architecture}.${member} must be a number from 1 to 4294967295`);
    }
  }
}

/** Refuses infinite numbers and NaN, because the engine would calculate with them and generate nonsense. */
function checkFinite(meta: ReadonlyMap<string, MetaValue>): void {
  for (const [name, value] of meta) {
    if (typeof value === 'number' && !Number.isFinite(value)) throw invalid(`${quoted(name)} is not a finite number`);
  }
}

/** Returns the quantisation that the file names, or else the type that most of its values have. */
function quantisationOf({ meta, tensors }: Pick<GgufHeader, 'meta' | 'tensors'>): string {
  const stated = FILE_TYPES.get(Number(meta.get('general.file_type') ?? -1));
  if (stated !== undefined) return stated;
  const values = new Map<string, number>();
  for (const tensor of tensors) values.set(tensor.type.name, (values.get(tensor.type.name) ?? 0) + tensor.values);
  return [...values].reduce((most, next) => (next[1] > most[1] ? next : most))[0];
}

function textAt(meta: ReadonlyMap<string, MetaValue>, key: string): string | undefined {
  const value = meta.get(key);
  return typeof value === 'string' && value !== '' ? cleaned(value) : undefined;
}

/** Makes a text from a file fit to be stored and shown. */
export function cleaned(text: string): string {
  return shortened(text.replace(/[\p{Cc}\ufffd]/gu, ' ').toWellFormed(), LONGEST_NAME);
}

function invalid(what: string): ImportFault {
  return new ImportFault('MODEL_FILE_INVALID', `The file is not a GGUF model that can be served: ${what}.`);
}
