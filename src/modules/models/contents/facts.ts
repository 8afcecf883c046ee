import { z } from 'zod';

const name = z.string().max(256);

/** The facts that an import found out about a content. */
export const Facts = z.object({
  format: z
    .enum(['gguf', 'safetensors', 'huggingface', 'dataset'])
    .describe('`huggingface` is a folder with config.json, in an archive.')
    .meta({ examples: ['gguf'] }),
  architecture: name.optional().meta({ examples: ['llama'] }),
  parameters: z
    .number()
    .optional()
    .describe('How many numbers its tensors hold.')
    .meta({ examples: [6_738_415_616] }),
  quantisation: name.optional().meta({ examples: ['Q4_K_M'] }),
  contextLength: z
    .number()
    .optional()
    .describe('Tokens it was made to see at a time.')
    .meta({ examples: [4096] }),
  name: name
    .optional()
    .describe('As its file calls it.')
    .meta({ examples: ['Llama 2 7B Chat'] }),
  hasChatTemplate: z.boolean().optional(),
  baseModel: name
    .optional()
    .describe('Of an adapter: the model it was made for, as its file calls it.')
    .meta({ examples: ['meta-llama/Llama-2-7b-chat-hf'] }),
  files: z
    .number()
    .optional()
    .describe('How many files an archive has.')
    .meta({ examples: [6] }),
  entry: z
    .string()
    .optional()
    .describe('The GGUF file in an archive.')
    .meta({ examples: ['llama/model.gguf'] }),
  records: z
    .number()
    .optional()
    .describe('Of a dataset: elements, lines or rows.')
    .meta({ examples: [12_000] }),
});
export type Facts = z.infer<typeof Facts>;

export interface Inspected {
  kind: 'model' | 'adapter' | 'dataset';
  facts: Facts;
}
