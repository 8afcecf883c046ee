import { z } from 'zod';
import { parseJson } from '../../../kernel/json.js';
import type { Entry } from './content.js';
import type { Facts, Inspected } from './facts.js';
import { cleaned, inspectGguf } from './gguf.js';
import { ImportFault } from './import-fault.js';
import { inspectSafetensors, type Safetensors } from './safetensors.js';
import { quoted } from './quoted.js';

const LONGEST_JSON = 16 * 1024 * 1024;
const TOKENIZERS = ['tokenizer.json', 'tokenizer.model', 'vocab.json', 'spiece.model', 'vocab.txt'];

const text = z.string().optional().catch(undefined);
const positive = z.number().int().positive().optional().catch(undefined);

/** The members of config.json that an import reads. Other members differ from model to model. */
const Config = z.looseObject({
  model_type: text,
  architectures: z.array(z.string()).optional().catch(undefined),
  max_position_embeddings: positive,
  n_positions: positive,
  quantization_config: z.looseObject({ quant_method: text }).optional().catch(undefined),
});
const AdapterConfig = z.looseObject({ base_model_name_or_path: text, peft_type: text });

interface Found<T> {
  path: string;
  what: T;
}

/** A folder with a model in the form of Hugging Face, or with one GGUF file. Its files are inspected one after another. */
export class Folder {
  private files = 0;
  private readonly ggufs: Found<Inspected>[] = [];
  private readonly weights: Found<Safetensors>[] = [];
  private readonly configs: Found<z.infer<typeof Config>>[] = [];
  private readonly adapterConfigs: Found<z.infer<typeof AdapterConfig>>[] = [];
  private readonly indexes: Found<string[]>[] = [];
  private readonly tokenizers: string[] = [];

  async add(entry: Entry): Promise<void> {
    this.files += 1;
    const { path } = entry;
    const name = nameOf(path);
    const hasEnding = (ending: string) => name.toLowerCase().endsWith(ending);
    try {
      if (hasEnding('.gguf')) this.ggufs.push({ path, what: await inspectGguf(entry) });
      else if (hasEnding('.safetensors')) this.weights.push({ path, what: await inspectSafetensors(entry) });
      else if (name === 'config.json') this.configs.push({ path, what: Config.parse(await jsonIn(entry)) });
      else if (name === 'adapter_config.json')
        this.adapterConfigs.push({ path, what: AdapterConfig.parse(await jsonIn(entry)) });
      else if (hasEnding('.safetensors.index.json')) this.indexes.push({ path, what: partsIn(await jsonIn(entry)) });
      else if (TOKENIZERS.includes(name)) this.tokenizers.push(path);
    } catch (error) {
      throw error instanceof ImportFault ? error.in(path) : error;
    }
  }

  inspected(): Inspected {
    if (this.ggufs.length > 0) return this.gguf();
    const adapter = shallowest(this.adapterConfigs);
    if (adapter) return this.adapter(adapter);
    const config = shallowest(this.configs);
    if (config) return this.model(config);
    throw new ImportFault(
      'MODEL_FORMAT_UNKNOWN',
      'The archive has no GGUF file, no config.json and no adapter_config.json. Pack a folder in the layout of Hugging Face.',
    );
  }

  private gguf(): Inspected {
    const [only, another] = this.ggufs;
    if (another) {
      throw new ImportFault(
        'MODEL_FORMAT_UNKNOWN',
        `The archive has ${this.ggufs.length} GGUF files. Import each model by itself.`,
      );
    }
    const { kind, facts } = only!.what;
    return { kind, facts: { ...facts, files: this.files, entry: only!.path } };
  }

  private model({ path, what: config }: Found<z.infer<typeof Config>>): Inspected {
    const folder = folderOf(path);
    if (!this.tokenizers.some((tokenizer) => folderOf(tokenizer) === folder)) {
      throw incomplete(`no tokenizer beside ${path}: one of ${TOKENIZERS.join(', ')}`);
    }
    const architecture = config.model_type ?? config.architectures?.[0];
    if (!architecture?.trim()) throw incomplete(`neither model_type nor architectures in ${path}`);
    const contextLength = config.max_position_embeddings ?? config.n_positions;
    const weights = this.weightsIn(folder, path);
    const facts = {
      ...this.weightFacts(weights, config.quantization_config?.quant_method),
      architecture: cleaned(architecture),
      ...(contextLength !== undefined && { contextLength }),
    };
    return { kind: 'model', facts };
  }

  private adapter({ path, what: config }: Found<z.infer<typeof AdapterConfig>>): Inspected {
    const weights = this.weightsIn(folderOf(path), path);
    const baseModel = config.base_model_name_or_path;
    const facts = {
      ...this.weightFacts(weights, undefined),
      ...(config.peft_type !== undefined && { architecture: cleaned(config.peft_type) }),
      ...(baseModel !== undefined && { baseModel: cleaned(baseModel) }),
    };
    return { kind: 'adapter', facts };
  }

  private weightsIn(folder: string, beside: string): Found<Safetensors>[] {
    const weights = this.weights.filter(({ path }) => folderOf(path) === folder);
    if (weights.length === 0) throw incomplete(`no .safetensors file beside ${beside}`);
    const index = this.indexes.find(({ path }) => folderOf(path) === folder);
    const existing = new Set(weights.map(({ path }) => nameOf(path)));
    const missing = (index?.what ?? []).filter((part) => !existing.has(part));
    if (missing.length > 0) {
      const some = missing.slice(0, 5).map((part) => quoted(part));
      throw incomplete(`no ${some.join(', ')}, which ${index!.path} names`);
    }
    return weights;
  }

  private weightFacts(weights: Found<Safetensors>[], method: string | undefined): Facts {
    const largest = weights.reduce((most, next) => (next.what.parameters > most.what.parameters ? next : most));
    return {
      format: 'huggingface',
      parameters: weights.reduce((sum, { what }) => sum + what.parameters, 0),
      quantisation: cleaned(method ?? largest.what.type),
      files: this.files,
    };
  }
}

async function jsonIn({ bytes, size }: Entry): Promise<Record<string, unknown>> {
  if (size > LONGEST_JSON) throw notJson();
  const pieces: Buffer[] = [];
  for await (const piece of bytes) pieces.push(piece);
  const { success, data } = z.record(z.string(), z.unknown()).safeParse(parseJson(Buffer.concat(pieces).toString()));
  if (!success) throw notJson();
  if (!areFinite(data)) throw new ImportFault('MODEL_FILE_INVALID', 'This has a number that is too large to be read.');
  return data;
}

function areFinite(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(areFinite);
}

function partsIn({ weight_map: parts }: Record<string, unknown>): string[] {
  const { data = {} } = z.record(z.string(), z.string()).safeParse(parts);
  return [...new Set(Object.values(data).map(nameOf))];
}

/** Returns the file that is the fewest folders deep, because subfolders may have copies for other programs. */
function shallowest<T>(found: Found<T>[]): Found<T> | undefined {
  const depthOf = ({ path }: Found<T>) => path.split('/').length;
  return found.toSorted((a, b) => depthOf(a) - depthOf(b))[0];
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

function incomplete(what: string): ImportFault {
  return new ImportFault('MODEL_INCOMPLETE', `The archive has ${what}. Pack the whole folder.`);
}

function notJson(): ImportFault {
  return new ImportFault('MODEL_FILE_INVALID', 'This is not a JSON object that can be read.');
}
