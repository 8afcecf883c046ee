import { f32, type GgufParts, type MetaValue, type Tensor, text, u32, writeGguf } from './gguf-writer.js';

const WIDTH = 64;
const HEADS = 4;
const FEED_FORWARD = 128;

/** The words that the model always says, one token each. No word may occur twice. */
export const SCRIPT = ['hello', 'the', 'cat', 'is', 'ok', 'and', 'a', 'dog', 'run'];
export const SAID = SCRIPT.join(' ');

interface TinyInput {
  name?: string;
  script?: string[];
  /** More layers make the model larger and slower. */
  layers?: number;
  /** Replaces members of the header; null removes one. */
  meta?: Record<string, MetaValue | null>;
  /** Replaces the tensors. */
  tensors?: (tensors: Tensor[]) => Tensor[];
}

/**
 * Makes a llama model of some hundred kilobytes that llama.cpp runs. It says its script whatever the prompt is.
 * Attention and feed forward do nothing, so the next token follows from the last one alone.
 */
export function tinyModel(input: TinyInput = {}): Buffer<ArrayBuffer> {
  return writeGguf(tinyParts(input));
}

export function tinyParts({
  name = 'tiny',
  script = SCRIPT,
  layers = 2,
  meta = {},
  tensors = same,
}: TinyInput = {}): GgufParts {
  const words = script.map((word, at) => (at === 0 ? word : `▁${word}`));
  const vocabulary = vocabularyOf(words);
  const header: Record<string, MetaValue> = {
    'general.architecture': text('llama'),
    'general.name': text(name),
    'general.file_type': u32(0),
    'llama.context_length': u32(4096),
    'llama.embedding_length': u32(WIDTH),
    'llama.block_count': u32(layers),
    'llama.feed_forward_length': u32(FEED_FORWARD),
    'llama.attention.head_count': u32(HEADS),
    'llama.attention.head_count_kv': u32(HEADS),
    'llama.attention.layer_norm_rms_epsilon': f32(1e-5),
    'llama.rope.dimension_count': u32(WIDTH / HEADS),
    'llama.vocab_size': u32(vocabulary.length),
    'tokenizer.ggml.model': text('llama'),
    'tokenizer.ggml.tokens': { type: 'strings', value: vocabulary.map(({ token }) => token) },
    'tokenizer.ggml.scores': { type: 'f32s', value: vocabulary.map((_, at) => -at) },
    'tokenizer.ggml.token_type': { type: 'i32s', value: vocabulary.map(({ type }) => type) },
    'tokenizer.ggml.bos_token_id': u32(1),
    'tokenizer.ggml.eos_token_id': u32(2),
    'tokenizer.ggml.unknown_token_id': u32(0),
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: true },
  };
  for (const [key, value] of Object.entries(meta)) {
    if (value === null) delete header[key];
    else header[key] = value;
  }
  return { meta: header, tensors: tensors(tensorsOf(vocabulary.length, words.length, layers)) };
}

const same = (tensors: Tensor[]) => tensors;

function vocabularyOf(words: string[]): { token: string; type: number }[] {
  const bytes = Array.from({ length: 256 }, (_, byte) => ({
    token: `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
    type: 6,
  }));
  return [
    { token: '<unk>', type: 2 },
    { token: '<s>', type: 3 },
    { token: '</s>', type: 3 },
    ...bytes,
    ...words.map((token) => ({ token, type: 1 })),
  ];
}

function tensorsOf(tokens: number, words: number, layers: number): Tensor[] {
  const random = randomOf(7);
  const embeddings = Float32Array.from({ length: tokens * WIDTH }, random);
  const zeros = (name: string, ...shape: number[]): Tensor => {
    return { name, shape, values: new Float32Array(shape.reduce((product, n) => product * n, 1)) };
  };
  const ones = (name: string): Tensor => ({ name, shape: [WIDTH], values: new Float32Array(WIDTH).fill(1) });
  const some = (name: string, ...shape: number[]): Tensor => {
    const tensor = zeros(name, ...shape);
    return { ...tensor, values: tensor.values.map(() => random() * 0.1) };
  };
  return [
    { name: 'token_embd.weight', shape: [WIDTH, tokens], values: embeddings },
    ones('output_norm.weight'),
    { name: 'output.weight', shape: [WIDTH, tokens], values: outputOf(embeddings, tokens, words) },
    ...Array.from({ length: layers }, (_, layer) => [
      ones(`blk.${layer}.attn_norm.weight`),
      some(`blk.${layer}.attn_q.weight`, WIDTH, WIDTH),
      some(`blk.${layer}.attn_k.weight`, WIDTH, WIDTH),
      some(`blk.${layer}.attn_v.weight`, WIDTH, WIDTH),
      zeros(`blk.${layer}.attn_output.weight`, WIDTH, WIDTH),
      ones(`blk.${layer}.ffn_norm.weight`),
      some(`blk.${layer}.ffn_gate.weight`, WIDTH, FEED_FORWARD),
      some(`blk.${layer}.ffn_up.weight`, WIDTH, FEED_FORWARD),
      zeros(`blk.${layer}.ffn_down.weight`, FEED_FORWARD, WIDTH),
    ]).flat(),
  ];
}

/** Each word is followed by the next one, the last word by the end, and anything else by the first word. */
function outputOf(embeddings: Float32Array, tokens: number, words: number): Float32Array {
  const first = tokens - words;
  const output = new Float32Array(tokens * WIDTH);
  const follow = (next: number, current: number, strength: number) => {
    const row = embeddings.subarray(current * WIDTH, (current + 1) * WIDTH);
    const length = Math.hypot(...row);
    for (let at = 0; at < WIDTH; at += 1) output[next * WIDTH + at]! += (strength * row[at]!) / length;
  };
  for (let at = first; at < tokens - 1; at += 1) follow(at + 1, at, 4);
  follow(2, tokens - 1, 4);
  // A prompt ends with a line break or with a space after the last role.
  for (const byte of ['\n', ' ', ':', '>', ']']) follow(first, 3 + byte.charCodeAt(0), 4);
  return output;
}

/** Returns the same normally distributed numbers each time, each of them a sum of uniform ones. */
function randomOf(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return () => uniform() + uniform() + uniform() + uniform() - 2;
}
