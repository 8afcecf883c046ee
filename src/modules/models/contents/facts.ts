import { z } from 'zod';

const name = z.string().max(256);

/** The facts that an import found out about a content. */
export const Facts = z.object({
  format: z
    .enum(['gguf', 'safetensors', 'huggingface', 'dataset'])
    .describe('The format of the file. `huggingface` is a folder with config.json, in an archive.')
    .meta({ examples: ['gguf'] }),
  architecture: name.optional().meta({ examples: ['llama'] }),
  parameters: z
    .number()
    .optional()
    .describe('The number of parameters, which is the number of values in its tensors.')
    .meta({ examples: [6_738_415_616] }),
  quantisation: name.optional().meta({ examples: ['Q4_K_M'] }),
  contextLength: z
    .number()
    .optional()
    .describe('The number of tokens for which the model was trained.')
    .meta({ examples: [4096] }),
  name: name
    .optional()
    .describe('The name of the model in its file.')
    .meta({ examples: ['Llama 2 7B Chat'] }),
  hasChatTemplate: z.boolean().optional(),
  baseModel: name
    .optional()
    .describe('The model for which an adapter was made, as its file names it.')
    .meta({ examples: ['meta-llama/Llama-2-7b-chat-hf'] }),
  files: z
    .number()
    .optional()
    .describe('The number of files in an archive.')
    .meta({ examples: [6] }),
  entry: z
    .string()
    .optional()
    .describe('The GGUF file in an archive.')
    .meta({ examples: ['llama/model.gguf'] }),
  records: z
    .number()
    .optional()
    .describe('The number of elements, lines or rows of a dataset.')
    .meta({ examples: [12_000] }),
});
export type Facts = z.infer<typeof Facts>;

export interface Inspected {
  kind: 'model' | 'adapter' | 'dataset';
  facts: Facts;
}
