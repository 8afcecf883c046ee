export interface TensorHeader {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

/** Makes a safetensors file of one tensor with four numbers, or with any header. */
export function safetensors(
  header: Record<string, unknown> | string = { weight: fourNumbers() },
  { dataBytes = 16, headerBytes }: { dataBytes?: number; headerBytes?: number } = {},
): Buffer<ArrayBuffer> {
  const text = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(headerBytes ?? text.length));
  return Buffer.concat([length, text, Buffer.alloc(dataBytes)]);
}

export function fourNumbers(changes: Partial<TensorHeader> = {}): TensorHeader {
  return { dtype: 'F32', shape: [2, 2], data_offsets: [0, 16], ...changes };
}

/** Makes a folder as Hugging Face has them, of a model that does not work. */
export function huggingFaceFolder(): Record<string, string | Uint8Array> {
  return {
    'bert/config.json': JSON.stringify({ model_type: 'bert', max_position_embeddings: 512, torch_dtype: 'float32' }),
    'bert/tokenizer.json': '{}',
    'bert/model.safetensors': safetensors(),
    'bert/README.md': '# A model',
  };
}

export function adapterFolder(): Record<string, string | Uint8Array> {
  return {
    'adapter_config.json': JSON.stringify({ peft_type: 'LORA', base_model_name_or_path: 'someone/bert' }),
    'adapter_model.safetensors': safetensors(
      { weight: fourNumbers({ dtype: 'F16', data_offsets: [0, 8] }) },
      { dataBytes: 8 },
    ),
  };
}
