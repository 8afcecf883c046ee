import { z } from 'zod';

/**
 * Clients send null for members that they leave out. They also send members of their own, which loose objects ignore.
 */
const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullish();

const textPart = z.looseObject({ type: z.enum(['text', 'refusal']), text: z.string().optional() });
const imagePart = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({
    url: z.url({ protocol: /^(https?|data)$/ }),
    detail: optional(z.enum(['auto', 'low', 'high', 'original'])),
  }),
});
const audioPart = z.looseObject({
  type: z.literal('input_audio'),
  input_audio: z.looseObject({ data: z.base64(), format: z.enum(['wav', 'mp3']) }),
});
const filePart = z.looseObject({
  type: z.literal('file'),
  file: z.looseObject({
    file_data: z
      .string()
      .regex(/^data:application\/pdf;base64,[A-Za-z0-9+/=]+$/, 'must be a PDF as data:application/pdf;base64,…'),
    filename: optional(z.string()),
  }),
});
const texts = z.union([z.string(), z.array(textPart)]);

const toolCall = z.looseObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});

const name = optional(z.string());

const message = z.discriminatedUnion(
  'role',
  [
    z.looseObject({ role: z.enum(['system', 'developer']), content: texts, name }),
    z.looseObject({
      role: z.literal('user'),
      name,
      content: z.union([
        z.string(),
        z.array(
          z.discriminatedUnion('type', [textPart, imagePart, audioPart, filePart], {
            error: 'must be a part of the type text, image_url, input_audio or file',
          }),
        ),
      ]),
    }),
    z.looseObject({
      role: z.literal('assistant'),
      name,
      content: optional(texts),
      tool_calls: optional(z.array(toolCall)),
    }),
    z.looseObject({ role: z.literal('tool'), content: texts, tool_call_id: z.string() }),
  ],
  {
    error: (issue) =>
      issue.code === 'invalid_union' ? 'must be one of system, developer, user, assistant, tool' : undefined,
  },
);
export type ChatMessage = z.output<typeof message>;

const tool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: z.string().regex(/^[\w-]{1,64}$/, 'must have 1 to 64 letters, digits, _ and -'),
    description: optional(z.string()),
    parameters: optional(z.looseObject({})),
    strict: optional(z.boolean()),
  }),
});

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
]);

const responseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({
      name: z.string(),
      description: optional(z.string()),
      schema: optional(z.looseObject({})),
      strict: optional(z.boolean()),
    }),
  }),
]);

const tokens = z.int().min(1);
const notGiven = z.literal(false, 'is not supported by any model here; take it out');

/** The request of OpenAI's chat completions. */
export const ChatRequest = z
  .looseObject({
    model: z
      .string()
      .min(1)
      .describe(
        'The model to call: the id (cn-…), name or model of a connection, the id (cm-…) of a deployed model, or `mock`.',
      ),
    messages: z.array(message).min(1),
    stream: optional(z.boolean()),
    stream_options: optional(z.looseObject({ include_usage: optional(z.boolean()) })),
    max_tokens: optional(tokens),
    max_completion_tokens: optional(tokens),
    temperature: optional(z.number().min(0).max(2)),
    top_p: optional(z.number().min(0).max(1)),
    presence_penalty: optional(z.number().min(-2).max(2)),
    frequency_penalty: optional(z.number().min(-2).max(2)),
    stop: optional(z.union([z.string(), z.array(z.string()).max(16)])),
    seed: optional(z.int()),
    n: optional(z.literal(1)),
    tools: optional(z.array(tool).max(128)),
    tool_choice: optional(toolChoice),
    parallel_tool_calls: optional(z.boolean()),
    response_format: optional(responseFormat),
    reasoning_effort: optional(z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])),
    logit_bias: optional(
      z.record(z.string().regex(/^\d+$/, 'is not the id of a token'), z.number().min(-100).max(100)),
    ),
    logprobs: optional(notGiven),
    user: optional(z.string()),
  })
  .meta({
    id: 'ChatRequest',
    examples: [{ model: 'mock', messages: [{ role: 'user', content: 'Where is my order?' }] }],
  });
export type ChatRequest = z.output<typeof ChatRequest>;
