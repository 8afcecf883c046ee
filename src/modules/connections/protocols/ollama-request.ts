import { definedMembers } from '../../../kernel/defined-members.js';
import type { ModelRequest } from '../../gateway/gateway.port.js';
import { base64Of, fileParts, outputText, textIn } from './prompt-parts.js';

type Message = ModelRequest['prompt'][number];
type Tool = NonNullable<ModelRequest['tools']>[number];

/** Returns the body of `POST /api/chat`. */
export function ollamaBody(model: string, request: ModelRequest, stream: boolean): object {
  const { prompt, tools = [], toolChoice, responseFormat } = request;
  const offered = toolChoice?.type === 'none' ? [] : tools;
  return {
    model,
    stream,
    messages: prompt.flatMap(toMessages),
    options: definedMembers({
      num_predict: request.maxOutputTokens,
      temperature: request.temperature,
      top_p: request.topP,
      top_k: request.topK,
      stop: request.stopSequences,
      seed: request.seed,
      presence_penalty: request.presencePenalty,
      frequency_penalty: request.frequencyPenalty,
    }),
    ...(offered.length > 0 && { tools: offered.flatMap(toTool) }),
    ...(responseFormat?.type === 'json' && { format: responseFormat.schema ?? 'json' }),
  };
}

/** Returns why the protocol does not support the request. */
export function ollamaRefusal({ prompt, toolChoice }: ModelRequest): string | undefined {
  if (toolChoice?.type === 'required' || toolChoice?.type === 'tool') return 'cannot be made to call a tool';
  const files = prompt.flatMap(fileParts);
  if (files.some(({ mediaType }) => !mediaType.startsWith('image/'))) return 'accepts no files except images';
  if (files.some((file) => base64Of(file) === undefined)) return 'accepts images only as data, and not by an address';
  return undefined;
}

function toMessages(message: Message): object[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }];
    case 'user': {
      const images = fileParts(message).map(base64Of);
      return [{ role: 'user', content: textIn(message), ...(images.length > 0 && { images }) }];
    }
    case 'assistant': {
      const calls = message.content.flatMap((part) =>
        part.type === 'tool-call' ? [{ function: { name: part.toolName, arguments: part.input } }] : [],
      );
      return [{ role: 'assistant', content: textIn(message), ...(calls.length > 0 && { tool_calls: calls }) }];
    }
    case 'tool':
      return message.content.flatMap((part) =>
        part.type === 'tool-result'
          ? [{ role: 'tool', tool_name: part.toolName, content: outputText(part.output) }]
          : [],
      );
  }
}

function toTool(tool: Tool): object[] {
  if (tool.type !== 'function') return [];
  const { name, description = '', inputSchema: parameters } = tool;
  return [{ type: 'function', function: { name, description, parameters } }];
}
