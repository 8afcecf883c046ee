import { z } from 'zod';
import { exampleId } from '../../kernel/ids.js';
import { count } from '../../kernel/schema.js';
import { type CallRecord, countsOf, type ToolCall } from './call-record.js';
import type { FinishReason, ListedModel, ModelPart, ModelUsage } from './gateway.port.js';
import type { Generated, Streamed } from './gateway.service.js';

const Usage = z.object({
  prompt_tokens: count(14),
  completion_tokens: count(9),
  total_tokens: count(23),
  prompt_tokens_details: z.object({ cached_tokens: count(0) }),
  completion_tokens_details: z.object({ reasoning_tokens: count(0) }),
});

const ToolCallView = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

const Message = z.object({
  role: z.literal('assistant'),
  content: z
    .string()
    .nullable()
    .meta({ examples: ['It was sent yesterday.'] }),
  refusal: z.null().meta({ examples: [null] }),
  tool_calls: z.array(ToolCallView).optional(),
});

const REASONS = ['stop', 'length', 'tool_calls', 'content_filter'] as const;
const madeAt = z.int().meta({ examples: [1_795_253_400] });

export const ChatCompletion = z
  .object({
    id: z.string().meta({ examples: [`chatcmpl-${exampleId('observation')}`] }),
    object: z.literal('chat.completion'),
    created: madeAt,
    model: z.string().meta({ examples: ['mock'] }),
    choices: z.array(
      z.object({
        index: z.literal(0),
        message: Message,
        logprobs: z.null().meta({ examples: [null] }),
        finish_reason: z.enum(REASONS),
      }),
    ),
    usage: Usage,
  })
  .meta({ id: 'ChatCompletion' });

export const ModelView = z
  .object({
    id: z.string().meta({ examples: [exampleId('connection')] }),
    object: z.literal('model'),
    created: madeAt,
    owned_by: z.string().meta({ examples: ['openai'] }),
  })
  .meta({ id: 'CallableModel' });

export const ModelList = z.object({ object: z.literal('list'), data: z.array(ModelView) }).meta({ id: 'ModelList' });

export function toModelView({ id, provider, createdAt }: ListedModel): z.infer<typeof ModelView> {
  return { id, object: 'model', created: inSeconds(createdAt), owned_by: provider };
}

export function toModelList(models: ListedModel[]): z.infer<typeof ModelList> {
  return { object: 'list', data: models.map(toModelView) };
}

export function toCompletion({ call, answer, usage, finishReason }: Generated): z.infer<typeof ChatCompletion> {
  const { text, toolCalls } = answer;
  const message = {
    role: 'assistant' as const,
    content: text === '' && toolCalls.length > 0 ? null : text,
    refusal: null,
    ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(toToolCallView) }),
  };
  const choice = { index: 0 as const, message, logprobs: null, finish_reason: toReason(finishReason) };
  return { ...identityOf(call), object: 'chat.completion', choices: [choice], usage: toUsage(usage) };
}

/** Yields the answer as chunks of the type `chat.completion.chunk`. */
export async function* toChunks({ call, parts }: Streamed, withUsage: boolean): AsyncGenerator<object> {
  const head = { ...identityOf(call), object: 'chat.completion.chunk' };
  const chunk = (delta: object, finishReason: string | null = null) => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
    return { ...head, choices, ...(withUsage && { usage: null }) };
  };
  const deltas = new Deltas();
  yield chunk({ role: 'assistant', content: '' });
  for await (const part of parts) {
    const delta = deltas.of(part);
    if (delta) yield chunk(delta);
    if (part.type !== 'finish') continue;
    yield chunk({}, toReason(part.finishReason.unified));
    if (withUsage) yield { ...head, choices: [], usage: toUsage(part.usage) };
  }
}

/** Converts each part to what it adds to the message. A tool call arrives in pieces or as a whole. */
class Deltas {
  private readonly begun = new Map<string, number>();
  private readonly filled = new Set<string>();

  of(part: ModelPart): object | undefined {
    switch (part.type) {
      case 'text-delta':
        return { content: part.delta };
      case 'tool-input-start':
        return this.begin(part.id, part.toolName);
      case 'tool-input-delta':
        this.filled.add(part.id);
        return { tool_calls: [{ index: this.begun.get(part.id), function: { arguments: part.delta } }] };
      case 'tool-call':
        if (this.filled.has(part.toolCallId)) return undefined;
        if (!this.begun.has(part.toolCallId)) return this.begin(part.toolCallId, part.toolName, part.input);
        return { tool_calls: [{ index: this.begun.get(part.toolCallId), function: { arguments: part.input } }] };
      default:
        return undefined;
    }
  }

  private begin(id: string, name: string, input = ''): object {
    const index = this.begun.size;
    this.begun.set(id, index);
    return { tool_calls: [{ index, id, type: 'function', function: { name, arguments: input } }] };
  }
}

function identityOf({ callId, startedAt, model }: CallRecord) {
  return { id: `chatcmpl-${callId}`, created: inSeconds(startedAt), model: model.name };
}

function toToolCallView({ id, name, arguments: input }: ToolCall) {
  return { id, type: 'function' as const, function: { name, arguments: input } };
}

function toUsage(usage: ModelUsage): z.infer<typeof Usage> {
  const { inputTokens, cachedTokens, completionTokens, reasoningTokens } = countsOf(usage);
  const written = completionTokens + reasoningTokens;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: written,
    total_tokens: inputTokens + written,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}

function toReason(reason: FinishReason): (typeof REASONS)[number] {
  if (reason === 'tool-calls') return 'tool_calls';
  if (reason === 'content-filter') return 'content_filter';
  return reason === 'length' ? 'length' : 'stop';
}

function inSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
