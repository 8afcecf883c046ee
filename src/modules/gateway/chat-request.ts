import { givenMembers } from '../../kernel/defined-members.js';
import { isJsonObject, parseJson } from '../../kernel/json.js';
import type { ChatMessage, ChatRequest } from './chat-request.schema.js';
import { type ModelRequest, oneToolAtATime } from './gateway.port.js';

type Prompt = ModelRequest['prompt'];
type UserPart = Extract<Prompt[number], { role: 'user' }>['content'][number];
type Texts = Extract<ChatMessage, { role: 'tool' }>['content'];

/** Converts a chat completion to the request that all protocols take. */
export function toModelRequest(chat: ChatRequest, abortSignal: AbortSignal): ModelRequest {
  const options = {
    maxOutputTokens: chat.max_completion_tokens ?? chat.max_tokens,
    temperature: chat.temperature,
    topP: chat.top_p,
    presencePenalty: chat.presence_penalty,
    frequencyPenalty: chat.frequency_penalty,
    stopSequences: typeof chat.stop === 'string' ? [chat.stop] : chat.stop,
    seed: chat.seed,
    tools: chat.tools?.length ? chat.tools.map(toTool) : undefined,
    toolChoice: toToolChoice(chat.tool_choice),
    responseFormat: toResponseFormat(chat.response_format),
    providerOptions: toProviderOptions(chat),
  };
  return { prompt: toPrompt(chat.messages), abortSignal, ...givenMembers(options) };
}

/** Options for which each protocol has its own names. */
function toProviderOptions({ parallel_tool_calls, response_format, reasoning_effort, logit_bias, user }: ChatRequest) {
  const openai = givenMembers({
    strictJsonSchema: response_format?.type === 'json_schema' ? response_format.json_schema.strict === true : undefined,
    reasoningEffort: reasoning_effort,
    logitBias: logit_bias,
    user,
  });
  const options = asOpenAi(openai);
  return parallel_tool_calls === false ? oneToolAtATime(options) : options;
}

/** Azure has the protocol of OpenAI, but reads its options under its own name. */
function asOpenAi<Options extends object>(options: Options): { openai: Options; azure: Options } {
  return { openai: options, azure: options };
}

function toPrompt(messages: ChatMessage[]): Prompt {
  const toolNames = new Map<string, string>();
  return messages.map((message): Prompt[number] => {
    switch (message.role) {
      case 'system':
      case 'developer':
        return { role: 'system', content: textOf(message.content), ...named(message) };
      case 'user':
        return { role: 'user', content: toUserParts(message.content), ...named(message) };
      case 'assistant': {
        const text = textOf(message.content ?? '');
        const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => {
          toolNames.set(id, name);
          return { type: 'tool-call' as const, toolCallId: id, toolName: name, input: toInput(input) };
        });
        const texts = text ? [{ type: 'text' as const, text }] : [];
        return { role: 'assistant', content: [...texts, ...calls], ...named(message) };
      }
      case 'tool': {
        const { tool_call_id: toolCallId } = message;
        const output = { type: 'text' as const, value: textOf(message.content) };
        const toolName = toolNames.get(toolCallId) ?? 'unknown';
        return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] };
      }
    }
  });
}

/**
 * A model may have written arguments that are not a JSON object. They are wrapped in one, because every protocol needs
 * one.
 */
function toInput(text: string): object {
  const input = text.trim() === '' ? {} : parseJson(text);
  return isJsonObject(input) ? input : { arguments: text };
}

function named({ name }: { name?: string | null | undefined }) {
  return name ? { providerOptions: asOpenAi({ name }) } : {};
}

function textOf(content: Texts): string {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n');
}

function toUserParts(content: Extract<ChatMessage, { role: 'user' }>['content']): UserPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part): UserPart => {
    if (part.type === 'image_url') return toImage(part.image_url);
    if (part.type === 'file') return toDocument(part.file);
    if (part.type !== 'input_audio') return { type: 'text', text: part.text ?? '' };
    const { format, data } = part.input_audio;
    return { type: 'file', mediaType: format === 'mp3' ? 'audio/mpeg' : 'audio/wav', data: { type: 'data', data } };
  });
}

function toDocument({ file_data, filename }: { file_data: string; filename?: string | null | undefined }): UserPart {
  const data = file_data.slice(file_data.indexOf(',') + 1);
  return { type: 'file', mediaType: 'application/pdf', data: { type: 'data', data }, ...(filename && { filename }) };
}

type ImageUrl = { url: string; detail?: string | null | undefined };

const DATA_URL = /^data:(image\/[\w.+-]+);base64,([A-Za-z0-9+/=]+)$/;

/** The address of an image is passed to the provider. Slipway does not fetch it. */
function toImage({ url, detail }: ImageUrl): UserPart {
  const options = detail ? { providerOptions: asOpenAi({ imageDetail: detail }) } : {};
  const [, mediaType, data] = DATA_URL.exec(url) ?? [];
  if (mediaType && data) return { type: 'file', mediaType, data: { type: 'data', data }, ...options };
  return { type: 'file', mediaType: 'image/*', data: { type: 'url', url: new URL(url) }, ...options };
}

type Tool = NonNullable<ChatRequest['tools']>[number];

function toTool({
  function: { name, description, parameters, strict },
}: Tool): NonNullable<ModelRequest['tools']>[number] {
  return {
    type: 'function',
    name,
    inputSchema: parameters ?? { type: 'object', properties: {} },
    ...(description && { description }),
    ...(typeof strict === 'boolean' && { strict }),
  };
}

function toToolChoice(choice: ChatRequest['tool_choice']): ModelRequest['toolChoice'] {
  if (!choice) return undefined;
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.function.name };
}

function toResponseFormat(format: ChatRequest['response_format']): ModelRequest['responseFormat'] {
  if (format?.type === 'json_object') return { type: 'json' };
  if (format?.type !== 'json_schema') return undefined;
  const { name, description, schema } = format.json_schema;
  return { type: 'json', name, ...(description && { description }), ...(schema && { schema }) };
}
