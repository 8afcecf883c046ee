import { f32, type Tensor, text, writeGguf } from './gguf-writer.js';
import { tinyParts } from './tiny-model.js';

const WIDTH = 64;

/** A LoRA adapter for the tiny model, with which the model says `ok` right after its first word. */
export function tinyAdapter({ baseModel = 'tiny' }: { baseModel?: string | null } = {}): Buffer<ArrayBuffer> {
  const { tensors } = tinyParts();
  const output = tensors.find(({ name }) => name === 'output.weight')!;
  const tokens = output.shape[1]!;
  return writeGguf({
    meta: {
      'general.type': text('adapter'),
      'general.architecture': text('llama'),
      'adapter.type': text('lora'),
      'adapter.lora.alpha': f32(1),
      ...(baseModel !== null && { 'general.base_model.0.name': text(baseModel) }),
    },
    tensors: jump(tokens),
  });
}

/** The adapter has rank one and makes `ok` by far the likeliest word after the first one. */
function jump(tokens: number): Tensor[] {
  const embeddings = tinyParts().tensors.find(({ name }) => name === 'token_embd.weight')!.values;
  const first = tokens - 9;
  const okAt = first + 4;
  const row = embeddings.subarray(first * WIDTH, (first + 1) * WIDTH);
  const length = Math.hypot(...row);
  const a = Float32Array.from(row, (value) => value / length);
  const b = new Float32Array(tokens);
  b[okAt] = 40;
  return [
    { name: 'output.weight.lora_a', shape: [WIDTH, 1], values: a },
    { name: 'output.weight.lora_b', shape: [1, tokens], values: b },
  ];
}
