import type { ModelRequest } from '../gateway/gateway.port.js';
import type { CalledTool, GenerateMessage, GenerateRequest } from './hosts/replica-calls.js';

type Message = ModelRequest['prompt'][number];
type Tool = GenerateRequest['tools'][number];

/** Converts a conversation to the engine's form, in which the result of a tool is a member of its call. */
export function toMessages(prompt: ModelRequest['prompt']): GenerateMessage[] {
  const messages: GenerateMessage[] = [];
  for (const message of prompt) {
    if (message.role === 'system') messages.push({ role: 'system', text: message.content });
    else if (message.role === 'user') messages.push({ role: 'user', text: textsIn(message).join('\n') });
    else if (message.role === 'assistant') modelMessage(messages).parts.push(...partsIn(message));
    else answerCalls(message, modelMessage(messages).parts);
  }
  return messages;
}

export function toTools(tools: ModelRequest['tools'] = []): Tool[] {
  return tools.flatMap((tool) => {
    if (tool.type !== 'function') return [];
    const { name, description = '', inputSchema } = tool;
    return [{ name, description, inputSchema }];
  });
}

/** Returns the last message if it is the model's, or else adds one: consecutive parts of the model are one message. */
function modelMessage(messages: GenerateMessage[]): Extract<GenerateMessage, { role: 'model' }> {
  const last = messages.at(-1);
  if (last?.role === 'model') return last;
  const message = { role: 'model' as const, parts: [] };
  messages.push(message);
  return message;
}

function textsIn({ content }: Extract<Message, { role: 'user' }>): string[] {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}

function partsIn({ content }: Extract<Message, { role: 'assistant' }>): (string | CalledTool)[] {
  return content.flatMap((part): (string | CalledTool)[] => {
    if (part.type === 'text') return [part.text];
    if (part.type !== 'tool-call') return [];
    return [{ id: part.toolCallId, name: part.toolName, input: part.input, result: null }];
  });
}

function answerCalls({ content }: Extract<Message, { role: 'tool' }>, parts: (string | CalledTool)[]): void {
  for (const part of content) {
    if (part.type !== 'tool-result') continue;
    const call = parts.find((one): one is CalledTool => typeof one === 'object' && one.id === part.toolCallId);
    if (call) call.result = 'value' in part.output ? part.output.value : null;
  }
}
